import { topics, type Gossip, type Hearer, type PeerView, type Topic } from "../gossip/index.ts";

/**
 * Gossip as the parts of a node know it: it may be off, may not have begun yet, or begin anew because
 * the node got another id. Who listens goes on to hear; what is said meanwhile reaches nobody.
 */
export interface GossipNow {
  say(topic: Topic, bytes: Uint8Array): void;
  hear(topic: Topic, listener: Hearer): () => void;
  peers(): readonly PeerView[];
  counters(): ReturnType<Gossip["counters"]> | undefined;
  /** Where this node can be reached; none while it is off. */
  addresses(): readonly string[];
}

export interface OpenedGossip extends AsyncDisposable {
  readonly gossip: Gossip;
  readonly addresses: () => readonly string[];
}

export interface GossipSlot extends GossipNow {
  /** This one from now on; undefined: none. The one before is not closed. */
  use(opened: OpenedGossip | undefined): void;
}

export function createGossipSlot(): GossipSlot {
  const listeners = new Map<Topic, Set<Hearer>>(topics.map((topic) => [topic, new Set()]));
  let now: OpenedGossip | undefined;
  let stops: (() => void)[] = [];
  return {
    say: (topic, bytes) => now?.gossip.say(topic, bytes),
    hear(topic, listener) {
      const own: Hearer = (from, bytes) => listener(from, bytes);
      listeners.get(topic)!.add(own);
      return () => void listeners.get(topic)!.delete(own);
    },
    peers: () => now?.gossip.peers() ?? [],
    counters: () => now?.gossip.counters(),
    addresses: () => now?.addresses() ?? [],
    use(opened) {
      for (const stop of stops.splice(0)) stop();
      now = opened;
      if (!opened) return;
      stops = topics.map((topic) =>
        opened.gossip.hear(topic, (from, bytes) => {
          for (const listener of listeners.get(topic)!) listener(from, bytes);
        }),
      );
    },
  };
}
