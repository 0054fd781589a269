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

/** Each site needs about six claims, so by then most visits have started and not ended. */
const claimsPerSite = 4;

/** How long the killed node stays away, at most. Its leases run out sooner. */
const awayMsMax = 15_000;

/**
 * Kills one node in the middle of the run, and starts it again when the others hold all its leases.
 */
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
    // Kills the node that has just got a lease, so it has a task in flight. All sites are visited
    // at the same time, so the number of ended visits is no measure of the progress.
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
    /** At the end the killed node starts again, if it has not yet. */
    end: comeBack,
    killed: () => killed,
  };
}

/**
 * The leases of a dead node that ran out, according to the queue's log. Its other tasks had ended
 * just before its death, and it could not report that any more.
 */
export async function tasksTakenOver(fleet: DemoFleet, queue: Queue): Promise<readonly TakeOver[]> {
  const expired = new Set<number>();
  for await (const { id, attempts } of browseAll(queue, {})) {
    if (attempts.some(({ outcome }) => outcome === "expired")) expired.add(id);
  }
  return fleet.leases.takeOvers().filter(({ id }) => expired.has(id));
}
