import { AppError } from "../base/app-error.ts";
import type { Timer } from "../base/clock.ts";
import { readOwnKeyring } from "./gossip-key.ts";
import { ownKeyAdvice } from "./gossip-key-source.ts";
import type { OpenedGossip } from "./gossip-now.ts";
import type { KeepInTouchOptions } from "./keep-in-touch.ts";
import { openGossip } from "./open-gossip.ts";

export interface GossipKeeper {
  /** Begins, where it has not, or where the node has another id by now. Never throws. */
  check(): Promise<void>;
  /** Takes the keys that are configured now. Never throws. */
  followKeys(): Promise<void>;
  stop(): Promise<void>;
}

/** After something went wrong that may mend itself. */
const againMs = 10_000;

/** Gossip speaks for one node: when that was found to be a clone and got another id, it begins anew. */
export function createGossipKeeper(options: KeepInTouchOptions): GossipKeeper {
  const { touch, settings, paths, clock, random, log } = options;
  const { ledger, bucket, gossip: slot } = touch;
  let now: { readonly node: string; readonly opened: OpenedGossip } | undefined;
  let turn: Promise<void> = Promise.resolve();
  let isOver = false;
  let again: Timer | undefined;

  const end = async () => {
    slot.use(undefined);
    const { opened } = now ?? {};
    now = undefined;
    await opened?.[Symbol.asyncDispose]();
  };
  const readKeys = async () => {
    const configured = options.keyring();
    const keyring = configured ?? (await readOwnKeyring(paths, random));
    return { keyring, isOwnKey: configured === undefined };
  };
  const begin = async () => {
    const node = ledger.node();
    if (isOver || now?.node === node || settings.on === "no") return;
    await end();
    try {
      const opened = await openGossip({ ...options, ...(await readKeys()), ledger, bucket });
      now = { node, opened };
      slot.use(opened);
    } catch (error) {
      log.error("gossip cannot begin", { error });
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
      if (now && isOwnKey) log.warn(`gossip: own key only, ${ownKeyAdvice}`);
    } catch (error) {
      log.error("the changed gossip keys cannot be used; the former ones stay", { error });
    }
  };

  return {
    check,
    followKeys: () => (turn = turn.then(follow)),
    async stop() {
      isOver = true;
      again?.cancel();
      await turn;
      await end();
    },
  };
}
