import { commitBytesMax } from "../datagram/check-input.ts";
import { notOurs } from "../datagram/check-parts.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { decodeRange } from "./decode-range.ts";
import type { CommitExchange, Exchange, RecordRange } from "./exchange.ts";

interface Arrived extends Pick<RecordRange, "records"> {
  /** The decoded records. */
  readonly datagrams: readonly Datagram[];
}

/** The records of one session that have arrived and were not passed on yet. */
interface Arriving {
  /** All records up to this number were accepted: stored, being stored, or waiting here. */
  last: number;
  /**
   * The beginning of a commit whose end has not arrived. It follows directly on what was passed on.
   */
  open: Arrived;
  bytes: number;
  /** Resolves when what was passed on is durable. */
  handed: Promise<void>;
}

/** Room for one commit with its names. */
const openBytesMaxDefault = 2 * commitBytesMax;
const originsMax = 256;

/**
 * Joins ranges into whole commits: gossip carries ranges that may end anywhere, and the ledger
 * takes whole commits only. While this process runs, a begun commit counts in the vector, so that
 * peers send only its rest; after a crash they send it from its beginning.
 */
export function joinCommits(
  inner: CommitExchange,
  { openBytesMax = openBytesMaxDefault }: { readonly openBytesMax?: number } = {},
): Exchange {
  const arriving = new Map<string, Arriving>();
  const known = (origin: string) => inner.vector().get(origin) ?? 0;

  const entryOf = (origin: string): Arriving => {
    const found = arriving.get(origin);
    const last = known(origin);
    // The session has come further by another way, so what waits here is not needed.
    if (found && found.last >= last) return found;
    const made = { last, open: nothing, bytes: 0, handed: Promise.resolve() };
    if (arriving.size >= originsMax) forgetOldest(arriving);
    arriving.set(origin, made);
    return made;
  };
  const handOn = (origin: string, entry: Arriving, { records, datagrams }: Arrived) => {
    const mine = inner.take({ origin, from: datagrams[0]!.number, records }, datagrams);
    const before = entry.handed;
    const both = Promise.all([before, mine]).then(() => {});
    entry.handed = both;
    both.catch(() => {}); // Reported to the caller that awaits it.
    return both.catch((error: unknown) => {
      // Records that followed on it cannot be used any more.
      if (arriving.get(origin) === entry) arriving.delete(origin);
      throw error;
    });
  };

  return {
    read: (ask) => inner.read(ask),
    follow: (listener) => inner.follow(listener),
    vector() {
      const base = inner.vector();
      let sum: Map<string, number> | undefined;
      for (const [origin, { last, open }] of arriving) {
        const durable = base.get(origin) ?? 0;
        const count = open.records.length;
        if (count === 0 || durable < last - count || durable >= last) continue;
        sum ??= new Map(base);
        sum.set(origin, last);
      }
      return sum ?? base;
    },
    async receive(range) {
      const { origin, from, records } = range;
      const datagrams = decodeRange(range);
      const entry = entryOf(origin);
      if (from > entry.last + 1) return; // A gap: the sender sees it by the vector.
      const skip = entry.last + 1 - from;
      if (skip >= records.length) return entry.handed;
      const fresh = { records: records.slice(skip), datagrams: datagrams.slice(skip) };
      const whole = accept(entry, fresh);
      if (entry.bytes > openBytesMax) {
        arriving.delete(origin);
        throw notOurs("its commit is too long");
      }
      if (whole.records.length > 0) await handOn(origin, entry, whole);
      if (entry.open.records.length === 0 && entry.last <= known(origin)) arriving.delete(origin);
    },
  };
}

const nothing: Arrived = { records: [], datagrams: [] };

/** Adds the new records to the entry; returns those that complete commits. */
function accept(entry: Arriving, { records, datagrams }: Arrived): Arrived {
  const all: Arrived = {
    records: [...entry.open.records, ...records],
    datagrams: [...entry.open.datagrams, ...datagrams],
  };
  const count = all.datagrams.findLastIndex(({ number, commit }) => number === commit) + 1;
  entry.open = part(all, count, all.records.length);
  entry.bytes = entry.open.records.reduce((sum, { byteLength }) => sum + byteLength, 0);
  entry.last += records.length;
  return part(all, 0, count);
}

const part = ({ records, datagrams }: Arrived, from: number, to: number): Arrived => ({
  records: records.slice(from, to),
  datagrams: datagrams.slice(from, to),
});

function forgetOldest(arriving: Map<string, Arriving>): void {
  const [oldest] = arriving.keys();
  if (oldest !== undefined) arriving.delete(oldest);
}
