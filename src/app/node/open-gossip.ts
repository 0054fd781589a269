import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Bucket } from "../../bucket/index.ts";
import type { Settings } from "../../config/index.ts";
import {
  createBucketDiscovery,
  createGossip,
  createStaticDiscovery,
  isLoopback,
  reachOf,
  type FoundPeer,
  type Keyring,
  type PullTransport,
  type Transport,
} from "../../gossip/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import type { OpenedGossip } from "../../node/index.ts";
import { expectsOtherMachines, ownKeyAdvice } from "./gossip-key-source.ts";

export interface OpenGossipOptions {
  readonly settings: Settings["gossip"];
  readonly keyring: Keyring;
  /** The key is the data folder's own: no other machine has it. */
  readonly isOwnKey: boolean;
  readonly ledger: Ledger;
  /** Where heads are; undefined: there is no bucket. */
  readonly bucket: Bucket | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Gossip of a ledger over UDP and TCP, with all that finds peers. */
export async function openGossip(options: OpenGossipOptions): Promise<OpenedGossip> {
  const { settings, keyring, isOwnKey, ledger, clock, random, log } = options;
  const host = settings.host ?? (isOwnKey ? "127.0.0.1" : "0.0.0.0");
  const { transport, pull } = await openTransports(host, options);
  const closing: AsyncDisposable[] = [];
  try {
    const gossip = createGossip({
      replica: ledger.exchange,
      transport,
      ...(pull && { pull }),
      keyring,
      cluster: settings.cluster,
      node: ledger.node(),
      clock,
      random,
      log,
    });
    closing.push(gossip);
    const bound = transport.address();
    closing.push(...(await openDiscoveries(options, { bound, gossip })));
    log.info("gossip has begun", { at: bound, node: ledger.node(), isOwnKey });
    if (isOwnKey && expectsOtherMachines(settings)) {
      log.warn(`gossip: own key only, ${ownKeyAdvice}`, { at: bound });
    }
    return {
      gossip,
      bound,
      addresses: () => reachOf({ bound }).own,
      async [Symbol.asyncDispose]() {
        for (const one of closing.splice(0).reverse()) await one[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    if (closing.length === 0) {
      await pull?.[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
    }
    for (const one of closing.reverse()) await one[Symbol.asyncDispose]();
    throw error;
  }
}

interface Transports {
  readonly transport: Transport;
  /** Undefined: large values come by the bucket alone. */
  readonly pull: PullTransport | undefined;
}

/** Another node of this machine may have the port: then any other will do, since peers are told. */
async function openTransports(host: string, options: OpenGossipOptions): Promise<Transports> {
  const { settings, clock, log } = options;
  const { openUdpTransport } = await import("../../gossip/adapters/udp/udp-transport.ts");
  const { openTcpPull } = await import("../../gossip/adapters/tcp/tcp-pull.ts");
  const open = async (port: number): Promise<Transports> => {
    const transport = await openUdpTransport({ host, port, log });
    try {
      return { transport, pull: await openTcpPull({ host, port, clock, log }) };
    } catch (error) {
      if (!isNotBound(error)) throw error;
      return { transport, pull: await openTcpPull({ host, port: 0, clock, log }) };
    }
  };
  try {
    return await open(settings.port);
  } catch (error) {
    if (!isNotBound(error) || settings.port === 0) throw error;
    const opened = await open(0);
    const at = opened.transport.address();
    log.warn("gossip.port is in use: another one was taken", { port: settings.port, at });
    return opened;
  }
}

const isNotBound = (error: unknown) =>
  error instanceof AppError && error.code === "gossip_not_bound";

interface Meeting {
  readonly bound: string;
  readonly gossip: ReturnType<typeof createGossip>;
}

/** Each is of use without the others, and none is needed. */
async function openDiscoveries(
  { settings, isOwnKey, bucket, ledger, clock, random, log }: OpenGossipOptions,
  { bound, gossip }: Meeting,
): Promise<readonly AsyncDisposable[]> {
  const node = ledger.node();
  const found = (how: "mdns" | "static" | "bucket") => (peers: readonly FoundPeer[]) =>
    gossip.meet(how, peers);
  const reach = () => reachOf({ bound });
  const open: AsyncDisposable[] = [];
  const peers = gossipPeersOf(settings);
  if (peers.length > 0) {
    open.push(createStaticDiscovery({ peers, found: found("static"), clock, log }));
  }
  if (bucket) {
    const isAlone = () => gossip.peers().length === 0;
    const told = { found: found("bucket"), isAlone, clock, random, log };
    open.push(createBucketDiscovery({ ...told, bucket, node, reach }));
  }
  if (settings.mdns === "yes" && !isOwnKey && !isLoopback(bound)) {
    const { createMdnsDiscovery } = await import("../../gossip/adapters/mdns/mdns-discovery.ts");
    const { cluster } = settings;
    const told = { found: found("mdns"), clock, random, log };
    open.push(createMdnsDiscovery({ ...told, node, cluster, bound, reach }));
  }
  return open;
}

export const gossipPeersOf = ({
  peers = "",
}: Pick<Settings["gossip"], "peers">): readonly string[] =>
  peers.split(/[\s,]+/u).filter((one) => one !== "");
