import { AppError } from "../base/app-error.ts";
import type { Timer } from "../base/clock.ts";
import type { Keyring } from "../gossip/index.ts";
import type { OpenedGossip } from "./gossip-now.ts";
import type { KeepInTouchOptions } from "./keep-in-touch.ts";
import { openGossip } from "./open-gossip.ts";

export interface GossipKeeper {
  /** Begins, where it has not, or where the node has another id by now. Never throws. */
  check(): Promise<void>;
  useKeys(keyring: Keyring): void;
  stop(): Promise<void>;
}

/** After something went wrong that may mend itself. */
const againMs = 10_000;

/** Gossip speaks for one node: when that was found to be a clone and got another id, it begins anew. */
export function createGossipKeeper(options: KeepInTouchOptions): GossipKeeper {
  const { touch, settings, clock, log } = options;
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
  const begin = async () => {
    const node = ledger.node();
    if (isOver || now?.node === node || settings.on === "no") return;
    await end();
    try {
      const opened = await openGossip({ ...options, keyring: options.keyring(), ledger, bucket });
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

  return {
    check,
    useKeys: (keyring) => now?.opened.gossip.useKeys(keyring),
    async stop() {
      isOver = true;
      again?.cancel();
      await turn;
      await end();
    },
  };
}
