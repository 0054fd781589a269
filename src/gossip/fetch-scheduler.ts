import type { Clock, Timer } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Counting } from "./counters.ts";
import type { Inbox, Span } from "./inbox.ts";
import { limits } from "./limits.ts";
import type { Peer, Peers } from "./peers.ts";
import type { GossipReplica } from "./replica.ts";
import type { Ended, Item } from "./wire/items.ts";

/**
 * Fetches what other peers have and this node lacks. For each origin one peer is asked at a time, so
 * data that many peers have arrives once, also after a network partition. A request without an answer
 * goes to another peer with a growing delay; after some tries it is dropped until a digest shows again
 * that a peer has the data.
 */
export interface FetchScheduler {
  /** `source` has the origin's records up to this number. */
  note(origin: string, upTo: number, source: Peer): void;
  /** A part of the answer arrived. */
  answered(peer: Peer, origin: string): void;
  ended(peer: Peer, item: Ended): void;
  /** The local replica of this origin grew, or was dropped. */
  changed(origin: string): void;
  size(): number;
  stop(): void;
}

export interface FetchSchedulerOptions {
  readonly replica: GossipReplica;
  readonly inbox: Inbox;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly random: Random;
  readonly counting: Counting;
  readonly send: (peer: Peer, items: readonly Item[]) => void;
  /** Fetches over a connection; false: not possible now. Calls back with whether data arrived. */
  readonly pull: (
    peer: Peer,
    span: Span & { origin: string },
    ended: (came: boolean) => void,
  ) => boolean;
}

interface Fetch {
  readonly origin: string;
  upTo: number;
  source: Peer;
  asked: Peer | undefined;
  isPulling: boolean;
  tries: number;
  /** The current answer ends before this number. */
  endsBefore: number;
  timer: Timer | undefined;
}

export function createFetchScheduler(options: FetchSchedulerOptions): FetchScheduler {
  const { replica, inbox, peers, clock, random, counting, send, pull } = options;
  const fetches = new Map<string, Fetch>();
  let asking = 0;
  const haveOf = (origin: string) => replica.vector().get(origin) ?? 0;

  const settle = (want: Fetch) => {
    if (want.asked) asking -= 1;
    want.asked = undefined;
  };
  const drop = (want: Fetch) => {
    settle(want);
    want.timer?.cancel();
    fetches.delete(want.origin);
  };
  const again = (want: Fetch, delayMs: number) => {
    want.timer?.cancel();
    want.timer = clock.setTimer(delayMs, () => fire(want), { background: true });
  };

  const candidates = (origin: string, number: number) => {
    const nowMs = clock.monotonicMs();
    const holders = peers.all().filter((peer) => (peer.advertised.get(origin) ?? 0) >= number);
    const willing = holders.filter((peer) => (peer.goneUntilMs.get(origin) ?? 0) <= nowMs);
    return { holders, willing };
  };

  const choose = (want: Fetch, number: number): Peer | undefined => {
    const { holders, willing } = candidates(want.origin, number);
    if (willing.length === 0 && holders.length > 0) counting.add("leftToBucket");
    if (want.tries === 0 && willing.includes(want.source)) return want.source;
    return willing.length === 0 ? undefined : willing[random.below(willing.length)];
  };

  const timeoutMs = ({ rttMs = 0 }: Peer, tries: number) => {
    const baseMs = Math.max(limits.askTimeoutMsMin, 2 * rttMs) * 1.5 ** tries;
    return Math.min(baseMs, limits.askTimeoutMsMax) * (1 + random.next() / 4);
  };

  const fire = (want: Fetch): void => {
    settle(want);
    const { origin } = want;
    if (want.isPulling) return;
    const gaps = inbox.gaps(origin, want.upTo);
    const first = gaps[0];
    if (!first || inbox.isMuted(origin) || want.tries > limits.askTriesMax) return drop(want);
    if (asking >= limits.asksAtOnceMax) return again(want, limits.holeMs * (1 + random.next()));
    const peer = choose(want, first.from);
    if (!peer) return drop(want);
    const advertised = peer.advertised.get(origin) ?? 0;
    const isBulk = first.to - first.from >= limits.pullFrom && peer.pullPort > 0;
    if (isBulk && startPull(want, peer, { from: first.from, to: Math.min(first.to, advertised) }))
      return;
    const spans = gaps.filter(({ from }) => from <= advertised);
    const asks = spans.map(({ from, to }): Item => {
      return { kind: "ask", origin, from, to: Math.min(to, advertised) };
    });
    asking += 1;
    want.asked = peer;
    want.endsBefore = 0;
    counting.add("asksOut");
    send(peer, asks);
    again(want, timeoutMs(peer, want.tries));
    want.tries += 1;
  };

  const startPull = (want: Fetch, peer: Peer, span: Span): boolean => {
    const started = pull(peer, { origin: want.origin, ...span }, (came) => {
      want.isPulling = false;
      if (fetches.get(want.origin) !== want) return;
      if (came) want.tries = 0;
      else want.tries += 1;
      again(want, came ? 0 : timeoutMs(peer, want.tries));
    });
    if (!started) return false;
    want.isPulling = true;
    want.timer?.cancel();
    return true;
  };

  return {
    note(origin, upTo, source) {
      const have = haveOf(origin);
      if (upTo <= have || inbox.isMuted(origin)) return;
      const known = fetches.get(origin);
      if (known) {
        if (upTo >= known.upTo) known.source = source;
        known.upTo = Math.max(known.upTo, upTo);
        return;
      }
      if (fetches.size >= limits.fetchesMax) return;
      const want: Fetch = {
        origin,
        upTo,
        source,
        asked: undefined,
        isPulling: false,
        tries: 0,
        endsBefore: 0,
        timer: undefined,
      };
      fetches.set(origin, want);
      again(want, limits.holeMs);
    },
    answered(peer, origin) {
      const want = fetches.get(origin);
      // Packets of one answer arrive close together, so a packet that is still missing was lost.
      if (want?.asked === peer) again(want, limits.holeMs + (peer.rttMs ?? 0) / 2);
    },
    ended(peer, { origin, why, next }) {
      const want = fetches.get(origin);
      if (!want || want.asked !== peer) return;
      switch (why) {
        case "sent":
          want.endsBefore = next;
          // This packet may have overtaken the data.
          return haveOf(origin) + 1 >= next ? again(want, 0) : again(want, limits.holeMs / 2);
        case "large":
          settle(want);
          if (peer.pullPort > 0) {
            const to = Math.max(next, peer.advertised.get(origin) ?? next);
            if (!startPull(want, peer, { from: next, to })) again(want, limits.holeMs * 2);
            return;
          }
          peer.goneUntilMs.set(origin, clock.monotonicMs() + limits.goneMs);
          return again(want, 0);
        case "gone":
          peer.goneUntilMs.set(origin, clock.monotonicMs() + limits.goneMs);
          return again(want, 0);
        case "behind":
          peer.advertised.set(origin, next - 1);
          return again(want, limits.holeMs);
        case "busy":
          return again(want, limits.askTimeoutMsMin * (2 + random.next()));
      }
    },
    changed(origin) {
      const want = fetches.get(origin);
      if (!want) return;
      want.tries = 0;
      const have = haveOf(origin);
      if (have >= want.upTo) drop(want);
      else if (want.asked && want.endsBefore > 0 && have + 1 >= want.endsBefore) again(want, 0);
    },
    size: () => fetches.size,
    stop() {
      for (const want of fetches.values()) drop(want);
    },
  };
}
