import { AppError } from "../../base/app-error.ts";
import type { Core } from "../core.ts";
import { encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { isCovered, sessionKey } from "../fold/vector.ts";
import type { ReadWriteLock } from "../read-write-lock.ts";
import { isJournalDamaged } from "../journal/journal-file.ts";

/** Consecutive records of one session, as they are in the journals: numbers from, from + 1, … */
export interface RecordRange {
  /** `node/session` */
  readonly origin: string;
  readonly from: number;
  readonly records: readonly Uint8Array[];
}

export interface RangeAsk {
  readonly origin: string;
  readonly from: number;
  readonly to: number;
  readonly bytesMax: number;
}

/**
 * For code that carries datagrams between nodes without reading them. It has the methods that
 * gossip's port needs, and does not depend on gossip.
 */
export interface Exchange {
  /** For each session, the number up to which nothing is missing and which other nodes may know. */
  vector(): ReadonlyMap<string, number>;
  /**
   * Records from `from` to at most `to`: as many as fit into bytesMax, at least one. Undefined:
   * this node does not hold them, or only in a checkpoint.
   */
  read(ask: RangeAsk): Promise<RecordRange | undefined>;
  /**
   * Resolves when the whole commits in the range are durable. The beginning of a commit is kept in
   * memory until its rest arrives. Known records are skipped; a range after a gap is dropped.
   * Throws `corrupt` or `invalid` for bad records.
   */
  receive(range: RecordRange): Promise<void>;
  /**
   * Calls the listener with everything that this node writes, from any of its processes, once it is
   * durable.
   */
  follow(listener: (range: RecordRange) => void): () => void;
}

export interface ExchangeOptions {
  readonly core: Core;
  readonly gate: ReadWriteLock;
}

/** Takes whole commits only; `open-commits.ts` joins the ranges before it. */
export interface CommitExchange extends Omit<Exchange, "receive"> {
  /**
   * Stores records with their decoded datagrams, which are checked already. Throws `ledger_gap` for
   * a gap.
   */
  take(range: RecordRange, datagrams: readonly Datagram[]): Promise<void>;
}

export function createExchange({ core, gate }: ExchangeOptions): CommitExchange {
  return {
    vector: () => core.advertised(),
    async read({ origin, from, to, bytesMax }) {
      const last = Math.min(to, core.advertised().get(origin) ?? 0);
      if (from > last) return undefined;
      const records: Uint8Array[] = [];
      let bytes = 0;
      try {
        for await (const some of core.journal().read({ key: origin, from, to: last })) {
          for (const datagram of some) {
            const record = Buffer.from(encodeDatagram(datagram));
            bytes += record.byteLength;
            if (records.length > 0 && bytes > bytesMax) return { origin, from, records };
            records.push(record);
          }
        }
      } catch (error) {
        // Another node may have it; the next sync repairs the file.
        if (!isJournalDamaged(error)) throw error;
      }
      return records.length > 0 ? { origin, from, records } : undefined;
    },
    take: ({ origin }, datagrams) =>
      gate.pass(async () => {
        const fresh = datagrams.filter((one) => !isCovered(core.replica().vector(), one));
        if (fresh.length === 0) return;
        // No other node writes in this session, unless the machine was copied with its memory.
        if (origin === `${core.identity().node}/${core.session()}`) throw twice(origin);
        await core.receive(fresh);
      }),
    follow: (listener) =>
      core.follow((datagrams) => {
        const range = rangeOf(datagrams);
        const advertised = core.advertised().get(range.origin) ?? 0;
        if (datagrams.at(-1)!.number <= advertised) listener(range);
      }),
  };
}

/** Contiguous datagrams of one session. */
export function rangeOf(datagrams: readonly Datagram[]): RecordRange {
  const [first] = datagrams;
  const records = datagrams.map((one) => Buffer.from(encodeDatagram(one)));
  return { origin: sessionKey(first!), from: first!.number, records };
}

const twice = (origin: string) =>
  new AppError(
    "conflict",
    "ledger_session_twice",
    `another machine writes as ${origin}, which is this very process: two copies of it run. ` +
      `Stop one of them and start it again`,
  );
