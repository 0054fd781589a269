import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Service } from "../../base/service.ts";
import {
  topicNames,
  type Gossip,
  type TopicListener,
  type Keyring,
  type PeerView,
  type Topic,
} from "../../gossip/index.ts";
import type { NodeEvents } from "../node-events.ts";

/**
 * Gossip for the services of a node. It may be off, may not have started yet, or restart because
 * the node has another id now. Listeners stay subscribed; messages sent meanwhile are lost.
 */
export interface NodeGossip {
  publish(topic: Topic, bytes: Uint8Array): void;
  subscribe(topic: Topic, listener: TopicListener): () => void;
  peers(): readonly PeerView[];
  counters(): ReturnType<Gossip["counters"]> | undefined;
  /** The addresses of this node; none while gossip is off. */
  addresses(): readonly string[];
}

export interface OpenedGossip extends AsyncDisposable {
  readonly gossip: Gossip;
  /** The address that it listens on. */
  readonly bound: string;
  readonly addresses: () => readonly string[];
}

export interface GossipKeeper extends NodeGossip, Service {
  /** Starts gossip if it does not run, or if the node has another id by now. Never throws. */
  check(): Promise<void>;
  /** Takes the keys that are configured now. Never throws. */
  followKeys(): Promise<void>;
}

export interface GossipKeeperOptions {
  /** The node's id. It changes if the node is found to be a clone. */
  readonly node: () => string;
  /** Undefined: gossip is off. */
  readonly open: ((keys: GossipKeys) => Promise<OpenedGossip>) | undefined;
  readonly readKeys: () => Promise<GossipKeys>;
  /** Logged when the data folder's own key is used. */
  readonly ownKeyAdvice: string;
  readonly events?: Pick<NodeEvents, "onGossip"> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface GossipKeys {
  readonly keyring: Keyring;
  /** The key was made in this data folder, so no other machine has it. */
  readonly isOwnKey: boolean;
}

/** The pause after a failure that may be temporary. */
const againMs = 10_000;

export function createGossipKeeper(options: GossipKeeperOptions): GossipKeeper {
  const { open, readKeys, clock, log } = options;
  const listeners = new Map<Topic, Set<TopicListener>>(
    topicNames.map((topic) => [topic, new Set()]),
  );
  let now: { readonly node: string; readonly opened: OpenedGossip } | undefined;
  let turn: Promise<void> = Promise.resolve();
  let isStopped = false;
  let again: Timer | undefined;

  const end = async () => {
    const { opened } = now ?? {};
    now = undefined;
    await opened?.[Symbol.asyncDispose]();
  };
  const begin = async () => {
    const node = options.node();
    if (isStopped || now?.node === node || !open) return;
    await end();
    try {
      const opened = await open(await readKeys());
      now = { node, opened };
      options.events?.onGossip(opened.bound);
      for (const topic of topicNames) {
        opened.gossip.subscribe(topic, (from, bytes) => {
          for (const listener of listeners.get(topic)!) listener(from, bytes);
        });
      }
    } catch (error) {
      log.error("gossip cannot start", { error });
      if (error instanceof AppError && error.kind === "invalid") return; // until it is set right
      again?.cancel();
      again = clock.setTimer(againMs, () => void check(), { background: true });
    }
  };
  const check = (): Promise<void> => (turn = turn.then(begin));
  const follow = async () => {
    try {
      const { keyring, isOwnKey } = await readKeys();
      now?.opened.gossip.useKeys(keyring);
      if (now && isOwnKey) log.warn(`gossip: own key only, ${options.ownKeyAdvice}`);
    } catch (error) {
      log.error("the changed gossip keys cannot be used; the previous ones stay in use", { error });
    }
  };

  return {
    publish: (topic, bytes) => now?.opened.gossip.publish(topic, bytes),
    subscribe(topic, listener) {
      const own: TopicListener = (from, bytes) => listener(from, bytes);
      listeners.get(topic)!.add(own);
      return () => void listeners.get(topic)!.delete(own);
    },
    peers: () => now?.opened.gossip.peers() ?? [],
    counters: () => now?.opened.gossip.counters(),
    addresses: () => now?.opened.addresses() ?? [],
    check,
    start: check,
    followKeys: () => (turn = turn.then(follow)),
    async stop() {
      isStopped = true;
      again?.cancel();
      await turn;
      await end();
    },
  };
}
