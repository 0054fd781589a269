import type { Clock, Timer } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Counting } from "./counters.ts";
import type { Inbox, Span } from "./inbox.ts";
import { limits } from "./limits.ts";
import type { Peer, Peers } from "./peers.ts";
import type { Replica } from "./replica.ts";
import type { Ended, Item } from "./wire/items.ts";

/**
 * What others have and we lack. Of each origin one peer is asked at a time: so what many could send
 * comes once, also when a parted fleet is joined again. What is not answered is asked of another
 * one, ever later, and after some tries only when a digest shows anew that somebody has it.
 */
export interface Wants {
  /** This peer has that much of it. */
  note(origin: string, upTo: number, teller: Peer): void;
  /** Some of what was asked for came. */
  answered(peer: Peer, origin: string): void;
  ended(peer: Peer, item: Ended): void;
  /** More is known, or what was there was dropped. */
  changed(origin: string): void;
  size(): number;
  stop(): void;
}

export interface WantsOptions {
  readonly replica: Replica;
  readonly inbox: Inbox;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly random: Random;
  readonly counting: Counting;
  readonly send: (peer: Peer, items: readonly Item[]) => void;
  /** Over a connection; false: not now. Calls back with whether something came. */
  readonly pull: (
    peer: Peer,
    span: Span & { origin: string },
    ended: (came: boolean) => void,
  ) => boolean;
}

interface Want {
  readonly origin: string;
  upTo: number;
  teller: Peer;
  asked: Peer | undefined;
  isPulling: boolean;
  tries: number;
  /** The answer in hand ends before this number. */
  endsBefore: number;
  timer: Timer | undefined;
}

export function createWants(options: WantsOptions): Wants {
  const { replica, inbox, peers, clock, random, counting, send, pull } = options;
  const wants = new Map<string, Want>();
  let asking = 0;
  const haveOf = (origin: string) => replica.vector().get(origin) ?? 0;

  const settle = (want: Want) => {
    if (want.asked) asking -= 1;
    want.asked = undefined;
  };
  const drop = (want: Want) => {
    settle(want);
    want.timer?.cancel();
    wants.delete(want.origin);
  };
  const again = (want: Want, delayMs: number) => {
    want.timer?.cancel();
    want.timer = clock.setTimer(delayMs, () => fire(want), { background: true });
  };

  const candidates = (origin: string, number: number) => {
    const nowMs = clock.monotonicMs();
    const holders = peers.all().filter((peer) => (peer.told.get(origin) ?? 0) >= number);
    const willing = holders.filter((peer) => (peer.goneUntilMs.get(origin) ?? 0) <= nowMs);
    return { holders, willing };
  };

  const choose = (want: Want, number: number): Peer | undefined => {
    const { holders, willing } = candidates(want.origin, number);
    if (willing.length === 0 && holders.length > 0) counting.add("leftToBucket");
    if (want.tries === 0 && willing.includes(want.teller)) return want.teller;
    return willing.length === 0 ? undefined : willing[random.below(willing.length)];
  };

  const timeoutMs = ({ rttMs = 0 }: Peer, tries: number) => {
    const baseMs = Math.max(limits.askTimeoutMsMin, 2 * rttMs) * 1.5 ** tries;
    return Math.min(baseMs, limits.askTimeoutMsMax) * (1 + random.next() / 4);
  };

  const fire = (want: Want): void => {
    settle(want);
    const { origin } = want;
    if (want.isPulling) return;
    const gaps = inbox.gaps(origin, want.upTo);
    const first = gaps[0];
    if (!first || inbox.isMuted(origin) || want.tries > limits.askTriesMax) return drop(want);
    if (asking >= limits.asksAtOnceMax) return again(want, limits.holeMs * (1 + random.next()));
    const peer = choose(want, first.from);
    if (!peer) return drop(want);
    const told = peer.told.get(origin) ?? 0;
    const isBulk = first.to - first.from >= limits.pullFrom && peer.pullPort > 0;
    if (isBulk && startPull(want, peer, { from: first.from, to: Math.min(first.to, told) })) return;
    const spans = gaps.filter(({ from }) => from <= told);
    const asks = spans.map(({ from, to }): Item => {
      return { kind: "ask", origin, from, to: Math.min(to, told) };
    });
    asking += 1;
    want.asked = peer;
    want.endsBefore = 0;
    counting.add("asksOut");
    send(peer, asks);
    again(want, timeoutMs(peer, want.tries));
    want.tries += 1;
  };

  const startPull = (want: Want, peer: Peer, span: Span): boolean => {
    const started = pull(peer, { origin: want.origin, ...span }, (came) => {
      want.isPulling = false;
      if (wants.get(want.origin) !== want) return;
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
    note(origin, upTo, teller) {
      const have = haveOf(origin);
      if (upTo <= have || inbox.isMuted(origin)) return;
      const known = wants.get(origin);
      if (known) {
        if (upTo >= known.upTo) known.teller = teller;
        known.upTo = Math.max(known.upTo, upTo);
        return;
      }
      if (wants.size >= limits.wantsMax) return;
      const want: Want = {
        origin,
        upTo,
        teller,
        asked: undefined,
        isPulling: false,
        tries: 0,
        endsBefore: 0,
        timer: undefined,
      };
      wants.set(origin, want);
      again(want, limits.holeMs);
    },
    answered(peer, origin) {
      const want = wants.get(origin);
      // Packets of one answer come close together: what is not here soon was lost, or its end was.
      if (want?.asked === peer) again(want, limits.holeMs + (peer.rttMs ?? 0) / 2);
    },
    ended(peer, { origin, why, next }) {
      const want = wants.get(origin);
      if (!want || want.asked !== peer) return;
      switch (why) {
        case "sent":
          want.endsBefore = next;
          // What was sent may still be overtaken by this.
          return haveOf(origin) + 1 >= next ? again(want, 0) : again(want, limits.holeMs / 2);
        case "large":
          settle(want);
          if (peer.pullPort > 0) {
            const to = Math.max(next, peer.told.get(origin) ?? next);
            if (!startPull(want, peer, { from: next, to })) again(want, limits.holeMs * 2);
            return;
          }
          peer.goneUntilMs.set(origin, clock.monotonicMs() + limits.goneMs);
          return again(want, 0);
        case "gone":
          peer.goneUntilMs.set(origin, clock.monotonicMs() + limits.goneMs);
          return again(want, 0);
        case "behind":
          peer.told.set(origin, next - 1);
          return again(want, limits.holeMs);
        case "busy":
          return again(want, limits.askTimeoutMsMin * (2 + random.next()));
      }
    },
    changed(origin) {
      const want = wants.get(origin);
      if (!want) return;
      want.tries = 0;
      const have = haveOf(origin);
      if (have >= want.upTo) drop(want);
      else if (want.asked && want.endsBefore > 0 && have + 1 >= want.endsBefore) again(want, 0);
    },
    size: () => wants.size,
    stop() {
      for (const want of wants.values()) drop(want);
    },
  };
}
