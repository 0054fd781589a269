import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import { isUnavailable, type Bucket, type ListedObject } from "../../bucket/index.ts";
import { decodeHead, headsPrefix } from "../../ledger/index.ts";
import type { FoundPeer } from "../gossip.ts";
import { addressesMax, foundMax, type Discovery, type OnPeersFound } from "./discovery.ts";
import type { Reach } from "./reach.ts";

export interface BucketDiscoveryOptions {
  /** A bucket whose requests are counted: each look costs money. */
  readonly bucket: Bucket;
  readonly node: string;
  readonly reach: () => Pick<Reach, "accepts">;
  readonly found: OnPeersFound;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whether no peer is heard: only then frequent looks are worth their price. */
  readonly isAlone: () => boolean;
}

/** One look is a LIST, and a GET for each changed head: $0.25 a month once a minute. */
export const lookMsMin = 60_000;
/** New nodes greet us themselves, so a node that hears others rarely finds more here. */
export const lookMsMax = 1_800_000;
/**
 * A live node writes its head once a minute. A node whose head is this much older than the newest
 * one is gone.
 */
const goneMs = 86_400_000;

interface Seen {
  readonly etag: string;
  readonly peers: readonly FoundPeer[];
}

/** Finds nodes by their heads in the bucket. It works across networks, and costs requests. */
export function createBucketDiscovery(options: BucketDiscoveryOptions): Discovery {
  const { bucket, clock, found, isAlone, log, node, random, reach } = options;
  let seen = new Map<string, Seen>();
  let delayMs = lookMsMin;
  let isOver = false;
  let hasFailed = false;
  let timer: Timer | undefined;

  const read = async ({ key, etag }: ListedObject): Promise<Seen> => {
    const known = seen.get(key);
    if (known?.etag === etag) return known;
    const got = await bucket.get(key);
    if (got.status !== "found") return { etag, peers: [] };
    return { etag: got.etag, peers: peersOf(key, got.body) };
  };

  const peersOf = (key: string, body: Uint8Array): readonly FoundPeer[] => {
    try {
      const head = decodeHead(body, key);
      if (head.node === node) return [];
      return readAddresses(head).map((address) => ({ node: head.node, address }));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return []; // the ledger reports unreadable heads
    }
  };

  const look = async (): Promise<void> => {
    const listed = await bucket.list(headsPrefix);
    const newest = listed.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs).slice(0, foundMax);
    const oldestMs = (newest[0]?.modifiedAtMs ?? 0) - goneMs;
    const next = new Map<string, Seen>();
    for (const one of newest.filter(({ modifiedAtMs }) => modifiedAtMs >= oldestMs)) {
      if (isOver) return;
      next.set(one.key, await read(one));
    }
    seen = next;
    if (isOver) return;
    const { accepts } = reach();
    const peers = [...seen.values()].flatMap((one) => one.peers);
    found(peers.filter(({ address }) => accepts(address)).slice(0, foundMax));
  };

  const run = async (): Promise<void> => {
    try {
      await look();
      if (hasFailed) log.info("peers are found in the bucket again");
      hasFailed = false;
    } catch (error) {
      if (isOver) return;
      const why = error instanceof Error ? error.message : String(error);
      if (!hasFailed) log.warn("peers cannot be looked up in the bucket", { why });
      hasFailed = true;
      if (!isUnavailable(error)) delayMs = lookMsMax; // a retry does not help
    }
    if (isOver) return;
    delayMs = isAlone() && !hasFailed ? lookMsMin : Math.min(lookMsMax, delayMs * 2);
    // At least a minute, with jitter so that the nodes of a fleet do not look at once.
    timer = clock.setTimer(delayMs * (1 + random.next() / 4), again, { background: true });
  };
  const again = () => void (running = run());
  let running = run();

  return {
    how: "bucket",
    async [Symbol.asyncDispose]() {
      isOver = true;
      timer?.cancel();
      await running;
    },
  };
}

function readAddresses(head: object): readonly string[] {
  const addresses: unknown = "addresses" in head ? head.addresses : undefined;
  if (!Array.isArray(addresses)) return [];
  return addresses
    .slice(0, addressesMax)
    .filter((address): address is string => typeof address === "string");
}
