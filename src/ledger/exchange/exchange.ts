import { AppError } from "../../base/app-error.ts";
import type { Core } from "../core.ts";
import { encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { isCovered, sessionKey } from "../fold/vector.ts";
import type { ReadWriteLock } from "../read-write-lock.ts";
import { isJournalDamaged } from "../journal/journal-file.ts";

/** Records of one session, as they stand in the journals: numbers from, from + 1, … */
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
 * For who carries datagrams between nodes and does not read them. It has what the port of gossip
 * asks for, and knows nothing of gossip.
 */
export interface Exchange {
  /** The last number of each session up to which nothing is missing, and that others may know. */
  vector(): ReadonlyMap<string, number>;
  /**
   * Records from `from` to `to` at most, as many as fit into bytesMax, the first always. Undefined:
   * none of it is held here, or not any more, because a checkpoint has it.
   */
  read(ask: RangeAsk): Promise<RecordRange | undefined>;
  /**
   * Durable when it resolves, as far as commits are whole: what is begun is kept in memory until
   * its rest comes. What is known is skipped; of a range beyond a hole nothing is kept. Throws
   * `corrupt` or `invalid` for records that are none.
   */
  receive(range: RecordRange): Promise<void>;
  /** Calls with what this node writes, whichever process of it, once it is durable. */
  follow(listener: (range: RecordRange) => void): () => void;
}

export interface ExchangeOptions {
  readonly core: Core;
  readonly gate: ReadWriteLock;
}

/** What takes whole commits only: `open-commits.ts` stands in front of it. */
export interface CommitExchange extends Omit<Exchange, "receive"> {
  /** The records and what they say, checked already. Throws `ledger_gap` for a hole. */
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
        // Another node may have it; the next sync mends the file.
        if (!isJournalDamaged(error)) throw error;
      }
      return records.length > 0 ? { origin, from, records } : undefined;
    },
    take: ({ origin }, datagrams) =>
      gate.pass(async () => {
        const fresh = datagrams.filter((one) => !isCovered(core.replica().vector(), one));
        if (fresh.length === 0) return;
        // Nobody else writes in this life's name, unless memory and all was copied.
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
      `Stop one, and start it anew`,
  );
