import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Peer } from "./peers.ts";
import { limits } from "./limits.ts";
import { messageBytesMax, type Item } from "./wire/items.ts";

/** The index is the number on the wire, so names are only ever appended. */
export const topicNames = ["heartbeat", "wake", "desired"] as const;
export type Topic = (typeof topicNames)[number];

export type TopicListener = (
  from: { readonly node: string; readonly session: string },
  bytes: Uint8Array,
) => void;

/**
 * Publishes short messages that matter only now. Each is sent twice, because packets are lost, and
 * delivered at most once; a message older than the last one of its topic is dropped. Messages are
 * neither forwarded nor stored.
 */
export interface Topics {
  publish(topic: Topic, bytes: Uint8Array): void;
  subscribe(topic: Topic, listener: TopicListener): () => void;
  receive(peer: Peer, item: Extract<Item, { kind: "message" }>): void;
  stop(): void;
}

export interface TopicsOptions {
  readonly clock: Clock;
  readonly broadcast: (items: readonly Item[]) => void;
  /** A listener has thrown. */
  readonly failed: (topic: Topic, error: unknown) => void;
}

export function createTopics({ clock, broadcast, failed }: TopicsOptions): Topics {
  const listeners = new Map<Topic, Set<TopicListener>>();
  const repeats = new Map<Topic, Timer>();
  let number = 0;
  return {
    publish(topic, bytes) {
      if (bytes.byteLength > messageBytesMax) throw tooLong(topic, bytes.byteLength);
      number += 1;
      const item: Item = {
        kind: "message",
        topic: topicNames.indexOf(topic),
        number,
        bytes: Uint8Array.from(bytes),
      };
      broadcast([item]);
      repeats.get(topic)?.cancel();
      const again = () => broadcast([item]);
      repeats.set(topic, clock.setTimer(limits.publishRepeatMs, again, { background: true }));
    },
    subscribe(topic, listener) {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all.add(listener));
      return () => void all.delete(listener);
    },
    receive(peer, { topic, number: at, bytes }) {
      const name = topicNames[topic];
      if (!name || at <= (peer.lastMessage.get(topic) ?? 0)) return; // a topic of a later version
      peer.lastMessage.set(topic, at);
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
    `a ${topic} message of ${bytes} bytes is too long: the limit is ${messageBytesMax}; write it to the ledger`,
  );
