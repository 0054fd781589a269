import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Peer } from "./peers.ts";
import { limits } from "./limits.ts";
import { sayBytesMax, type Item } from "./wire/items.ts";

/** What may be said, by its number on the wire: only ever added to. */
export const topics = ["heartbeat", "wake", "desired"] as const;
export type Topic = (typeof topics)[number];

export type Hearer = (
  from: { readonly node: string; readonly session: string },
  bytes: Uint8Array,
) => void;

/**
 * What is only of use now. It is said twice, since packets are lost, and heard once; what came after
 * something newer of the same topic is not heard at all. Nobody passes it on, or keeps it.
 */
export interface Sayings {
  say(topic: Topic, bytes: Uint8Array): void;
  hear(topic: Topic, listener: Hearer): () => void;
  take(peer: Peer, item: Extract<Item, { kind: "say" }>): void;
  stop(): void;
}

export interface SayingsOptions {
  readonly clock: Clock;
  readonly broadcast: (items: readonly Item[]) => void;
  /** A listener has thrown. */
  readonly failed: (topic: Topic, error: unknown) => void;
}

export function createSayings({ clock, broadcast, failed }: SayingsOptions): Sayings {
  const listeners = new Map<Topic, Set<Hearer>>();
  const repeats = new Map<Topic, Timer>();
  let number = 0;
  return {
    say(topic, bytes) {
      if (bytes.byteLength > sayBytesMax) throw tooLong(topic, bytes.byteLength);
      number += 1;
      const item: Item = {
        kind: "say",
        topic: topics.indexOf(topic),
        number,
        bytes: Uint8Array.from(bytes),
      };
      broadcast([item]);
      repeats.get(topic)?.cancel();
      const again = () => broadcast([item]);
      repeats.set(topic, clock.setTimer(limits.sayRepeatMs, again, { background: true }));
    },
    hear(topic, listener) {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all.add(listener));
      return () => void all.delete(listener);
    },
    take(peer, { topic, number: at, bytes }) {
      const name = topics[topic];
      if (!name || at <= (peer.said.get(topic) ?? 0)) return; // a topic of a later version
      peer.said.set(topic, at);
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener({ node: peer.node, session: peer.session }, Uint8Array.from(bytes));
        } catch (error) {
          failed(name, error);
        }
      }
    },
    stop() {
      for (const timer of repeats.values()) timer.cancel();
    },
  };
}

const tooLong = (topic: Topic, bytes: number) =>
  new AppError(
    "invalid",
    "gossip_say_too_long",
    `a ${topic} of ${bytes} bytes cannot be said: ${sayBytesMax} are the most; write it to the ledger`,
  );
