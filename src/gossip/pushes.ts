import type { Clock, Timer } from "../base/clock.ts";
import { afterTick } from "../base/tick.ts";
import type { Counting } from "./counters.ts";
import { limits } from "./limits.ts";
import { cutRange, joinRanges } from "./packing.ts";
import type { Peer, Peers } from "./peers.ts";
import { lastOf, type Range } from "./replica.ts";
import type { Item } from "./wire/items.ts";

/**
 * Sends new records at once. In a small fleet the writer sends to all, and nothing is forwarded. In
 * a larger one it sends to some, which forward what was new to them, and each does so twice, the
 * second time to other peers. Records too large for a packet are announced by their number only.
 */
export interface Pushes {
  /** Records of this node. */
  own(range: Range): void;
  /** Records of another node that were new here; `hops` as received. */
  relay(range: Range, hops: number, from: Peer): void;
  stop(): void;
}

export interface PushesOptions {
  readonly peers: Peers;
  readonly clock: Clock;
  readonly counting: Counting;
  readonly room: number;
  /** Sends one packet to all of them. */
  readonly broadcast: (peers: readonly Peer[], items: readonly Item[]) => void;
}

interface Rumour {
  readonly range: Range;
  readonly hops: number;
  readonly but: Peer | undefined;
}

/** Limit of what waits for the end of this turn, and of what is sent a second time. */
const rumoursMax = 4_096;

export function createPushes(options: PushesOptions): Pushes {
  const { peers, clock, counting, room, broadcast } = options;
  let waiting: Rumour[] = [];
  let isOver = false;
  const repeats = new Set<Timer>();

  const isLarge = () => peers.all().length > limits.pushToAllMax;

  const flush = () => {
    const rumours = waiting;
    waiting = [];
    if (isOver || rumours.length === 0) return;
    const receivers = spread(rumours, new Set());
    if (!isLarge()) return;
    const timer = clock.setTimer(
      limits.repeatMs,
      () => {
        repeats.delete(timer);
        spread(rumours, receivers);
      },
      { background: true },
    );
    repeats.add(timer);
  };

  const spread = (rumours: readonly Rumour[], receivers: ReadonlySet<Peer>): ReadonlySet<Peer> => {
    const chosen = isLarge()
      ? peers.some(
          limits.fanOut,
          new Set([...receivers, ...rumours.flatMap(({ but }) => but ?? [])]),
        )
      : peers.all().filter((peer) => !peers.isQuiet(peer));
    if (chosen.length > 0) broadcast(chosen, itemsOf(rumours));
    return new Set(chosen);
  };

  const itemsOf = (rumours: readonly Rumour[]): readonly Item[] => {
    const items: Item[] = [];
    for (const hops of new Set(rumours.map((rumour) => rumour.hops))) {
      const ranges = rumours.filter((rumour) => rumour.hops === hops).map(({ range }) => range);
      for (const joined of joinRanges(ranges)) {
        const { pieces, large } = cutRange(joined, room);
        for (const range of pieces) items.push({ kind: "push", hops, range });
        const { origin } = joined;
        if (large.length > 0) {
          items.push({ kind: "have", entries: [{ origin, number: lastOf(joined) }] });
        }
      }
    }
    return items;
  };

  const add = (rumour: Rumour) => {
    if (waiting.length >= rumoursMax) return; // a digest will announce it
    if (waiting.push(rumour) === 1) afterTick(flush);
  };

  return {
    own(range) {
      counting.add("recordsPushed", range.records.length);
      const depth = Math.ceil(Math.log(peers.all().length + 1) / Math.log(limits.fanOut)) + 2;
      add({ range, hops: Math.min(depth, limits.hopsMax), but: undefined });
    },
    relay(range, hops, from) {
      if (hops === 0 || !isLarge()) return;
      counting.add("recordsRelayed", range.records.length);
      add({ range, hops: Math.min(hops, limits.hopsMax) - 1, but: from });
    },
    stop() {
      isOver = true;
      waiting = [];
      for (const timer of repeats) timer.cancel();
    },
  };
}
