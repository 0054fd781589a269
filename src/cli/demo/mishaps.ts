import type { Clock } from "../../base/clock.ts";
import type { Queue } from "../../queue/index.ts";
import { browseAll } from "../commands/queue/browse-all.ts";
import type { DemoFleet } from "./demo-fleet.ts";
import type { TakeOver } from "./lease-book.ts";

export interface KilledNode {
  readonly name: string;
  readonly pid: number;
  /** How many visits had ended. */
  readonly visited: number;
}

export interface MishapOptions {
  readonly fleet: DemoFleet;
  /** How many visits there will be. */
  readonly size: number;
  readonly clock: Clock;
}

/** Each site takes about six: by then most are in the middle. */
const claimsPerSite = 4;

/** Of the node that was killed. Its leases run out sooner. */
const awayMsMax = 15_000;

/** One node dies in the middle of it, and is started again once others have all that it held. */
export function createMishaps({ fleet, size, clock }: MishapOptions) {
  let killed: KilledNode | undefined;
  let isBack = false;
  let backMs = Infinity;
  let seen = 0;
  let claims = 0;
  const comeBack = () => {
    if (!killed || isBack) return;
    isBack = true;
    fleet.start(killed.name);
  };
  fleet.onClaim((name) => {
    // Whoever it is, with a lease that it has just got: it dies in the middle of something. All sites
    // are visited side by side and end together, so the visits that have ended say little.
    claims += 1;
    if (killed || claims < claimsPerSite * size) return;
    killed = { name, pid: fleet.kill(name), visited: seen };
    backMs = clock.monotonicMs() + awayMsMax;
  });
  return {
    look(visited: number): void {
      seen = visited;
      if (fleet.book.isAllTaken() || clock.monotonicMs() > backMs) comeBack();
    },
    /** All is done: the dead one comes back, if it has not yet. */
    end: comeBack,
    killed: () => killed,
  };
}

/**
 * What of a dead node's leases has run out, by the queue's log: the rest had ended in the moment of
 * its death, and it could not say so any more.
 */
export async function takenOver(fleet: DemoFleet, queue: Queue): Promise<readonly TakeOver[]> {
  const expired = new Set<number>();
  for await (const { id, attempts } of browseAll(queue, {})) {
    if (attempts.some(({ outcome }) => outcome === "expired")) expired.add(id);
  }
  return fleet.book.takeOvers().filter(({ id }) => expired.has(id));
}
