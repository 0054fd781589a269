import type { Service } from "../../base/service.ts";
import { usageError } from "../../base/usage-error.ts";
import { createSettingsMarker, followSettings, type LoadedSettings } from "../../config/index.ts";
import { hasFleetBucket } from "../bucket/fleet-bucket.ts";
import { gossipKeySource } from "./gossip-key-source.ts";
import { openServiceNode, type ServiceNodeOptions } from "./open-service-node.ts";

export interface IdleNodeOptions extends Omit<ServiceNodeOptions, "work"> {
  /** Reads the settings again: changed gossip keys are used while the node runs. */
  readonly reload: () => Promise<LoadedSettings>;
}

/** A node without workers: it keeps ledger and records in sync with its fleet. */
export interface IdleNode extends Service, AsyncDisposable {
  /** The id of the node. */
  node(): Promise<string>;
  /** The number of datagrams it has. */
  datagrams(): Promise<number>;
  /** Rejects when the data folder no longer exists. */
  readonly gone: Promise<never>;
}

export async function openIdleNode(options: IdleNodeOptions): Promise<IdleNode> {
  const { loaded, paths, bucketAddress, reload, clock, log } = options;
  const { settings } = loaded;
  const hasGossip = gossipKeySource({ gossip: settings.gossip, hasBucket: false }) !== "off";
  if (!hasGossip && !hasFleetBucket({ settings, paths, bucketAddress })) throw nobody();
  const node = await openServiceNode(options);
  const { ledger } = node.api;
  let following: { readonly stop: () => void } | undefined;
  return {
    gone: node.gone,
    node: async () => (await ledger.status()).node,
    datagrams: async () => Object.values(await ledger.vector()).reduce((sum, one) => sum + one, 0),
    async start() {
      const marker = createSettingsMarker(clock);
      const marks = await marker.read(loaded, { isAsked: true });
      await node.start();
      following = followSettings({
        marks,
        marker,
        reload,
        clock,
        logger: log,
        async apply({ keys: changed, loaded: now }) {
          if (changed.includes("gossip.keys")) await node.follow(now.settings);
          const others = changed.filter((key) => key !== "gossip.keys" && isOfNode(key));
          if (others.length === 0) return;
          log.warn("these settings take effect only after a restart", { keys: others });
        },
      });
    },
    async stop() {
      following?.stop();
      await node.stop();
    },
    async [Symbol.asyncDispose]() {
      following?.stop();
      await node[Symbol.asyncDispose]();
    },
  };
}

const isOfNode = (key: string) => /^(?:gossip\.|bucket\.|data$)/.test(key);

const nobody = () =>
  usageError(
    "there is no other node to reach: set gossip.keys (`forager node key` generates one), " +
      "gossip.peers or bucket.url",
  );
