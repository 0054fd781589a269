import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Counting } from "./counters.ts";
import { limits } from "./limits.ts";
import type { Range, GossipReplica } from "./replica.ts";
import { createTokenBucket } from "./token-bucket.ts";

/**
 * Records that arrived and are not stored yet. Records that came before their predecessors wait
 * here, within limits; complete ranges are passed to the replica, one at a time for each origin.
 */
export interface Inbox {
  /** Returns the new part of it: neither known nor waiting. */
  take(range: Range): readonly Range[];
  /** Whether a number up to `upTo` is missing. */
  hasHole(origin: string, upTo: number): boolean;
  /** Up to `gapsMax` spans that are missing up to `upTo`. */
  gaps(origin: string, upTo: number): readonly Span[];
  /** Whether the replica has just refused or failed to store this origin. */
  isMuted(origin: string): boolean;
  /**
   * Called now and then: drops records whose predecessors never came, and stores those whose
   * predecessors came by another way.
   */
  tidy(): void;
  waiting(): { readonly records: number; readonly bytes: number };
  /** Resolves when nothing is being stored. */
  idle(): Promise<void>;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface InboxOptions {
  readonly replica: GossipReplica;
  readonly clock: Clock;
  readonly log: Logger;
  readonly counting: Counting;
  /** Called when more of this origin is known, or all that waited was dropped. */
  readonly changed: (origin: string) => void;
}

interface Lane {
  readonly records: Map<number, Uint8Array>;
  bytes: number;
  storing: Promise<void> | undefined;
  /** Up to here nothing is missing: it is known, or waits. */
  edge: number;
  /** Known records were removed up to here. */
  cleanTo: number;
  /** The end of the last range that the replica did not take: do not offer the same again. */
  offeredTo: number;
  /** Nothing beyond it waits. */
  highest: number;
  /** When its last record came. */
  cameMs: number;
}

const mutedMax = 1_024;

const weigh = ({ bytes, records }: Lane) => bytes + 64 * records.size;

const newLane = (have: number): Lane => ({
  records: new Map(),
  bytes: 0,
  storing: undefined,
  edge: have,
  cleanTo: have,
  offeredTo: 0,
  highest: 0,
  cameMs: 0,
});

export function createInbox({ replica, clock, log, counting, changed }: InboxOptions): Inbox {
  const lanes = new Map<string, Lane>();
  const muted = new Map<string, { untilMs: number; forMs: number }>();
  const warnings = createTokenBucket({ clock, perS: 0.2, burst: 5 });
  let records = 0;
  let bytes = 0;
  const haveOf = (origin: string) => replica.vector().get(origin) ?? 0;

  const remove = (origin: string, lane: Lane, number: number) => {
    const record = lane.records.get(number);
    if (!record) return;
    lane.records.delete(number);
    lane.bytes -= record.length;
    bytes -= record.length;
    records -= 1;
    if (lane.records.size === 0 && !lane.storing) lanes.delete(origin);
  };

  const mute = (origin: string) => {
    const before = muted.get(origin)?.forMs ?? limits.mutedMsMin / 2;
    const forMs = Math.min(before * 2, limits.mutedMsMax);
    if (muted.size >= mutedMax) muted.clear();
    muted.set(origin, { untilMs: clock.monotonicMs() + forMs, forMs });
  };

  const drop = (origin: string, lane: Lane, numbers: Iterable<number>) => {
    for (const number of numbers) remove(origin, lane, number);
    lane.edge = 0;
    lane.offeredTo = 0;
  };

  /**
   * Makes room for one more: drops the later half of the origin that waits most. It is requested
   * again.
   */
  const makeRoom = (origin: string, number: number, size: number): boolean => {
    const isFull = () =>
      records + 1 > limits.waitingRecordsMax || bytes + size > limits.waitingBytesMax;
    while (isFull() && lanes.size > 0) {
      const [heaviest, lane] = [...lanes].reduce((a, b) => (weigh(b[1]) > weigh(a[1]) ? b : a));
      if (heaviest === origin && number > lane.highest) return false;
      const later = [...lane.records.keys()].sort((a, b) => b - a);
      later.length = Math.ceil(later.length / 2);
      counting.drop("overflow", later.length);
      drop(heaviest, lane, later);
      lane.highest = later.at(-1) ?? 0;
    }
    return !isFull();
  };

  const clean = (origin: string, lane: Lane, have: number) => {
    if (have - lane.cleanTo <= lane.records.size) {
      for (let at = lane.cleanTo + 1; at <= have; at++) remove(origin, lane, at);
    } else {
      for (const number of lane.records.keys()) if (number <= have) remove(origin, lane, number);
    }
    lane.cleanTo = Math.max(lane.cleanTo, have);
  };
  const edgeOf = (lane: Lane, have: number) => {
    let edge = Math.max(lane.edge, have);
    while (lane.records.has(edge + 1)) edge += 1;
    return (lane.edge = edge);
  };

  const store = async (origin: string, lane: Lane): Promise<void> => {
    for (;;) {
      const have = haveOf(origin);
      clean(origin, lane, have);
      const run: Uint8Array[] = [];
      for (let next = have + 1; lane.records.has(next); next++) run.push(lane.records.get(next)!);
      const to = have + run.length;
      if (run.length === 0 || to === lane.offeredTo) return;
      lane.offeredTo = to;
      try {
        await replica.receive({ origin, from: have + 1, records: run });
        const now = haveOf(origin);
        if (now > have) {
          counting.add("recordsNew", Math.min(now, to) - have);
          muted.delete(origin);
        }
      } catch (error) {
        const kind = error instanceof AppError ? error.kind : "internal";
        const isBad = kind === "invalid" || kind === "corrupt";
        counting.drop(isBad ? "refused" : "failed", run.length);
        // A holder of the key may send many bad records: log few of them, the counter has all.
        const level = warnings.take(1) ? "warn" : "debug";
        log[level](isBad ? "records were refused" : "records could not be stored", {
          origin,
          from: have + 1,
          to,
          reason: String(error),
        });
        drop(origin, lane, lane.records.keys());
        mute(origin);
      }
      changed(origin);
    }
  };

  const begin = (origin: string, lane: Lane) => {
    const have = haveOf(origin);
    const edge = edgeOf(lane, have);
    if (lane.storing || edge === have || edge === lane.offeredTo) return;
    lane.storing = store(origin, lane).finally(() => {
      lane.storing = undefined;
      if (lane.records.size === 0) lanes.delete(origin);
      else begin(origin, lane);
    });
  };

  return {
    take({ origin, from, records: came }) {
      if (isMuted(origin)) return [];
      const have = haveOf(origin);
      const lane = lanes.get(origin) ?? newLane(have);
      const fresh: { from: number; records: Uint8Array[] }[] = [];
      came.forEach((record, at) => {
        const number = from + at;
        if (number <= have || lane.records.has(number)) return counting.add("recordsKnown");
        if (!makeRoom(origin, number, record.length)) return counting.drop("overflow");
        lane.records.set(number, record);
        lanes.set(origin, lane);
        lane.highest = Math.max(lane.highest, number);
        lane.cameMs = clock.monotonicMs();
        lane.bytes += record.length;
        bytes += record.length;
        records += 1;
        const last = fresh.at(-1);
        if (last && last.from + last.records.length === number) last.records.push(record);
        else fresh.push({ from: number, records: [record] });
      });
      if (fresh.length > 0) begin(origin, lane);
      edgeOf(lane, have);
      return fresh.map((range) => ({ origin, ...range }));
    },
    hasHole(origin, upTo) {
      const have = haveOf(origin);
      const lane = lanes.get(origin);
      return upTo > (lane ? edgeOf(lane, have) : have);
    },
    gaps(origin, upTo) {
      const here = lanes.get(origin)?.records;
      const spans: Span[] = [];
      let from = haveOf(origin) + 1;
      const waiting = [...(here?.keys() ?? [])].sort((a, b) => a - b);
      for (const number of waiting) {
        if (number > upTo || spans.length >= limits.gapsMax) break;
        if (number > from) spans.push({ from, to: number - 1 });
        from = Math.max(from, number + 1);
      }
      if (from <= upTo && spans.length < limits.gapsMax) spans.push({ from, to: upTo });
      return spans;
    },
    isMuted,
    tidy() {
      for (const [origin, lane] of lanes) {
        if (lane.storing) continue;
        clean(origin, lane, haveOf(origin));
        if (clock.monotonicMs() - lane.cameMs > limits.waitingMs) {
          drop(origin, lane, lane.records.keys());
        }
        begin(origin, lane);
      }
    },
    waiting: () => ({ records, bytes }),
    async idle() {
      for (const { storing } of lanes.values()) await storing;
    },
  };

  function isMuted(origin: string): boolean {
    return (muted.get(origin)?.untilMs ?? 0) > clock.monotonicMs();
  }
}
