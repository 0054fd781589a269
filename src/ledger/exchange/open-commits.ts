import { commitBytesMax } from "../datagram/check-input.ts";
import { notOurs } from "../datagram/check-parts.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { decodeRange } from "./decode-range.ts";
import type { CommitExchange, Exchange, RecordRange } from "./exchange.ts";

interface Arrived extends Pick<RecordRange, "records"> {
  /** What they say. */
  readonly datagrams: readonly Datagram[];
}

/** What one session has sent beyond what was handed on. */
interface Arriving {
  /** Up to here all has been accepted: known, on its way to the disk, or waiting here. */
  last: number;
  /** Of a commit whose end has not come; its first is the number after all that was handed on. */
  open: Arrived;
  bytes: number;
  /** Resolves when what was handed on is durable. */
  handed: Promise<void>;
}

/** One commit, with its names and all. */
const openBytesMaxDefault = 2 * commitBytesMax;
const originsMax = 256;

/**
 * Puts commits together: gossip carries ranges that may end anywhere, the ledger takes whole commits
 * only. A begun commit counts in the vector while this process runs, so that its rest is asked for
 * and not all of it again; after a crash it is asked for from its beginning.
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
    // By another way it came further: what waits here is of no use any more.
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
    both.catch(() => {}); // told to who waits for it
    return both.catch((error: unknown) => {
      // Whatever followed on it has no ground any more.
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
      if (from > entry.last + 1) return; // a hole: who sent it sees that by the vector
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

/** Adds what is new to the entry; answers what makes whole commits. */
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
