import { AppError } from "../../base/app-error.ts";
import type { Timer } from "../../base/clock.ts";
import type { Ledger, LedgerPosition } from "../../ledger/index.ts";
import type { RecordsContext } from "../context.ts";
import { declareIfWriter } from "../change/id-form.ts";
import { catchUp } from "./follow-ledger.ts";
import type { FollowOptions, Watching } from "../records.ts";

export const followMsDefault = 2_000;

/**
 * Catches up repeatedly: with changes from other nodes, and with writes that could not be rendered
 * when they were made. If nothing is new, a check takes microseconds.
 */
export function followLedger(
  context: RecordsContext,
  { everyMs = followMsDefault }: FollowOptions,
): Watching {
  const { clock, log, ledger, stored } = context;
  let timer: Timer | undefined;
  let work: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const { signal } = stopping;

  const look = async () => {
    try {
      if (!isBehind(ledger, stored.position())) return;
      await context.run(async () => {
        await catchUp(context, { signal });
        await context.reviewHeld();
        await declareIfWriter(context);
        await context.conclude();
      }, stopping);
    } catch (error) {
      if (error instanceof AppError && error.kind === "aborted") return;
      // Nothing else handles errors of this loop: it logs them and tries again.
      log.error("files and index could not be updated from the ledger", { error });
    }
  };
  const lookAgain = () => {
    timer = clock.setTimer(everyMs, () => {
      work = look().then(() => (signal.aborted ? undefined : lookAgain()));
    });
  };
  lookAgain();
  return {
    async stop() {
      stopping.abort();
      timer?.cancel();
      await work;
    },
  };
}

/** True if something was written that a position does not cover. */
export function isBehind(
  ledger: Pick<Ledger, "vector" | "status">,
  position: LedgerPosition | undefined,
): boolean {
  const { checkpoint, quarantined } = ledger.status();
  if (!position || checkpoint !== position.checkpoint) return true;
  // Datagrams from the future become valid when their time has come, without any new write.
  if (quarantined < position.aside.length) return true;
  for (const [key, number] of ledger.vector()) {
    if (number > (position.vector[key] ?? 0)) return true;
  }
  return false;
}
