import type { Timer } from "../base/clock.ts";
import type { Ledger, Position } from "../ledger/index.ts";
import type { Desk } from "./desk.ts";
import { catchUp } from "./follow-ledger.ts";
import type { FollowOptions, Watching } from "./records.ts";

export const followMsDefault = 2_000;

/**
 * Catches up again and again: with what came from other nodes, and with what a process has written
 * that died before its files were. Where nothing is new, looking costs microseconds.
 */
export function followLedger(desk: Desk, { everyMs = followMsDefault }: FollowOptions): Watching {
  const { clock, log, ledger, stored } = desk;
  let timer: Timer | undefined;
  let work: Promise<void> = Promise.resolve();
  let isStopped = false;

  const look = async () => {
    try {
      if (!isBehind(ledger, stored.position())) return;
      await desk.inTurn(async () => {
        await catchUp(desk);
        await desk.settle();
        await desk.conclude();
      });
    } catch (error) {
      // This loop owns the work: it says what is wrong, and looks again.
      log.error("files and index could not be brought up to the ledger", { error });
    }
  };
  const lookAgain = () => {
    timer = clock.setTimer(everyMs, () => {
      work = look().then(() => (isStopped ? undefined : lookAgain()));
    });
  };
  lookAgain();
  return {
    async stop() {
      isStopped = true;
      timer?.cancel();
      await work;
    },
  };
}

/** Whether something was written that a position does not cover. Asks nobody. */
export function isBehind(
  ledger: Pick<Ledger, "vector" | "status">,
  position: Position | undefined,
): boolean {
  const { checkpoint, quarantined } = ledger.status();
  if (!position || checkpoint !== position.checkpoint) return true;
  // What was ahead of its time counts when that has come, though nothing else has.
  if (quarantined < position.aside.length) return true;
  for (const [key, number] of ledger.vector()) {
    if (number > (position.vector[key] ?? 0)) return true;
  }
  return false;
}
