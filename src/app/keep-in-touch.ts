import { sleep, type Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import { makeFolder } from "../base/make-folder.ts";
import type { Paths, Settings } from "../config/index.ts";
import type { Keyring } from "../gossip/index.ts";
import { createGossipKeeper } from "./gossip-keeper.ts";
import type { GossipNow, GossipSlot } from "./gossip-now.ts";
import { keepSynced } from "./keep-synced.ts";
import { openRecordsOn } from "./open-records.ts";
import type { Touch } from "./run-node.ts";
import { createWakeHints } from "./wake-hints.ts";

export interface KeepInTouchOptions {
  readonly touch: Omit<Touch, "gossip" | "isKeeper"> & { readonly gossip: GossipSlot };
  readonly paths: Paths;
  readonly settings: Settings["gossip"];
  /** Undefined: none is configured, and the data folder makes one for itself. */
  readonly keyring: () => Keyring | undefined;
  readonly isBucketFree: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly user: string;
}

export interface KeepingInTouch extends Service {
  /** This process has the role. */
  isKeeper(): boolean;
  /** Takes the keys that `keyring` answers now. */
  followKeys(): Promise<void>;
}

/** Files follow what comes from others that soon. */
const followMs = 500;
/** A bucket that does not answer keeps nobody waiting. */
const firstSyncMsMax = 5_000;
/** How soon another process takes over from one that has ended. */
const takeOverMs = 1_000;
/** After something went wrong that may mend itself. */
const againMs = 10_000;

/**
 * What one process of a data folder does for all: gossip and what finds peers, ledger and bucket
 * kept together, files of what comes from others, hints to those who wait for work. Whoever gets
 * the role has it until it ends, however it ends; then another that runs this takes over. `start`
 * waits for none of it: a node without a network works on.
 */
export function keepInTouch(options: KeepInTouchOptions): KeepingInTouch {
  const { clock, log, paths } = options;
  const over = new AbortController();
  let begun: Begun | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async () => {
    let [isTold, problem] = [false, ""];
    while (!over.signal.aborted) {
      const role = await tryRole(paths);
      if (!role) {
        if (!isTold) log.info("another process keeps this node in touch; this one stands by");
        isTold = true;
        await sleep(clock, takeOverMs, over.signal).catch(() => {});
        continue;
      }
      try {
        begun = await begin(options);
        begun.closing.unshift(async () => role[Symbol.dispose]());
        return;
      } catch (error) {
        role[Symbol.dispose]();
        const text = error instanceof Error ? error.message : String(error);
        if (text !== problem) log.error("this node is out of touch; it tries again", { error });
        problem = text;
      }
      await sleep(clock, againMs, over.signal).catch(() => {});
    }
  };

  return {
    async start() {
      running = run();
    },
    async stop() {
      over.abort();
      await running;
      await begun?.end();
    },
    isKeeper: () => begun !== undefined && !over.signal.aborted,
    followKeys: async () => begun?.followKeys(),
  };
}

interface Begun {
  readonly closing: (() => Promise<void>)[];
  readonly end: () => Promise<void>;
  readonly followKeys: () => Promise<void>;
}

async function begin(options: KeepInTouchOptions): Promise<Begun> {
  const { touch, paths, clock, random, log, user } = options;
  const { ledger, sync, gossip } = touch;
  const closing: Begun["closing"][number][] = [];
  const end = async () => {
    for (const one of closing.splice(0).reverse()) {
      await one().catch((error: unknown) => log.error("a part of the node did not end", { error }));
    }
  };
  try {
    const keeper = createGossipKeeper(options);
    closing.push(() => keeper.stop());
    if (sync) {
      const synced = keepSynced({
        sync,
        unpublished: () => ledger.status().unpublished,
        isFree: options.isBucketFree,
        clock,
        random,
        log,
        onReached: () => void keeper.check(),
      });
      closing.push(() => synced.stop());
      // First, so that a clone has its own name before anybody hears of it.
      const waited = new AbortController();
      const patience = sleep(clock, firstSyncMsMax, waited.signal).catch(() => {});
      await Promise.race([synced.start(), patience]);
      waited.abort();
    }
    await keeper.check();
    closing.push(passHints({ paths, clock, gossip }));
    const opened = await openRecordsOn(ledger, { paths, log, user });
    closing.push(async () => opened[Symbol.asyncDispose]());
    const following = opened.records.follow({ everyMs: followMs });
    closing.push(() => following.stop());
    return { closing, end, followKeys: () => keeper.followKeys() };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Work that is added here is said to all; what others say goes to the processes of this folder. */
function passHints({
  paths,
  clock,
  gossip,
}: Pick<KeepInTouchOptions, "paths" | "clock"> & { readonly gossip: GossipNow }) {
  const hints = createWakeHints({ paths, clock });
  const stops = [
    hints.follow("added", () => gossip.say("wake", new Uint8Array())),
    gossip.hear("wake", () => hints.tell("woken")),
  ];
  return async () => {
    for (const stop of stops) stop();
  };
}

/** Undefined where another process has it. The kernel frees it when that one is gone. */
async function tryRole(paths: Paths): Promise<Disposable | undefined> {
  const { tryLockFolder } = await import("../ledger/adapters/file/folder-lock.ts");
  makeFolder(paths.resolve("node"), { mode: 0o700 });
  return tryLockFolder(paths.resolve("node/touch.db"), { waitMs: 0 });
}
