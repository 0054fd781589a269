import type { Clock } from "../../base/clock.ts";
import { browseAll, type Queue } from "../../queue/index.ts";
import type { DemoFleet } from "./demo-fleet.ts";
import type { TakeOver } from "./lease-log.ts";

export interface KilledNode {
  readonly name: string;
  readonly pid: number;
  /** How many visits had ended. */
  readonly visited: number;
}

export interface FaultOptions {
  readonly fleet: DemoFleet;
  /** How many visits there will be. */
  readonly size: number;
  readonly clock: Clock;
}

/** Each site takes about six: by then most are in the middle. */
const claimsPerSite = 4;

/** Of the node that was killed. Its leases run out sooner. */
const awayMsMax = 15_000;

/** Kills one node in the middle of the run and starts it again once the others hold all its leases. */
export function createFaults({ fleet, size, clock }: FaultOptions) {
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
      if (fleet.leases.isAllTaken() || clock.monotonicMs() > backMs) comeBack();
    },
    /** All is done: the dead one comes back, if it has not yet. */
    end: comeBack,
    killed: () => killed,
  };
}

/**
 * The leases of a dead node that ran out, according to the queue's log. The others had ended just before
 * its death, and it could not report that any more.
 */
export async function tasksTakenOver(fleet: DemoFleet, queue: Queue): Promise<readonly TakeOver[]> {
  const expired = new Set<number>();
  for await (const { id, attempts } of browseAll(queue, {})) {
    if (attempts.some(({ outcome }) => outcome === "expired")) expired.add(id);
  }
  return fleet.leases.takeOvers().filter(({ id }) => expired.has(id));
}
