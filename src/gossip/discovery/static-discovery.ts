import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { formatAddress } from "../address.ts";
import { addressesMax, foundMax, type Discovery, type OnPeersFound } from "./discovery.ts";

export interface StaticDiscoveryOptions {
  /** `pi-7.example.org:9999`, `10.0.0.7:9999`, `[fd00::7]:9999`. */
  readonly peers: readonly string[];
  readonly found: OnPeersFound;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the current addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

export interface NamedPeer {
  readonly host: string;
  readonly port: number;
}

/** How often a name is resolved again: its machine's address may change. */
const againMs = 60_000;
/** A failed name is resolved again sooner: at start the network may not be up yet. */
const failedMsMin = 2_000;

/** Throws `invalid` if the text is not `host:port`. */
export function parsePeer(text: string): NamedPeer {
  const [, six, name, portText = ""] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9_](?:[A-Za-z0-9._-]{0,253})?)):(\d{1,5})$/.exec(text) ??
    [];
  const host = six ?? name ?? "";
  const port = Number(portText);
  const isGood = (six === undefined || isIP(six) === 6) && port >= 1 && port <= 65_535;
  if (host !== "" && isGood) return { host, port };
  const message = `"${text}" is not an address of a peer: write host:port, such as pi-7:9999`;
  throw new AppError("invalid", "gossip_peer", message);
}

/** Peers from the settings. Each name is resolved again now and then, as long as this is open. */
export function createStaticDiscovery(options: StaticDiscoveryOptions): Discovery {
  const { clock, found, log, resolve = lookUp } = options;
  const peers = options.peers.slice(0, foundMax).map(parsePeer);
  const timers = new Set<Timer>();
  let isOver = false;

  const follow = async (peer: NamedPeer, failures: number): Promise<void> => {
    let delayMs = againMs;
    let failed = 0;
    try {
      const hosts = isIP(peer.host) ? [peer.host] : await resolve(peer.host);
      if (isOver) return;
      if (failures > 0) log.info("a static peer has an address again", { peer: peer.host });
      found(hosts.slice(0, addressesMax).map((host) => ({ address: formatAddress({ host, port: peer.port }) }))); // prettier-ignore
    } catch (error) {
      if (isOver) return;
      failed = failures + 1;
      delayMs = Math.min(againMs, failedMsMin * 2 ** failures);
      const why = error instanceof Error ? error.message : String(error);
      if (failed === 1) log.warn("a static peer has no address", { peer: peer.host, why });
    }
    const again = () => {
      timers.delete(timer);
      void follow(peer, failed);
    };
    const timer = clock.setTimer(delayMs, again, { background: true });
    timers.add(timer);
  };

  for (const peer of peers) void follow(peer, 0);
  return {
    how: "static",
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const timer of timers) timer.cancel();
    },
  };
}

const lookUp = async (host: string) =>
  (await lookup(host, { all: true })).map(({ address }) => address);
