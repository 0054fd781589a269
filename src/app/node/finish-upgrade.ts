import { AppError } from "../../base/app-error.ts";
import { countOf } from "../../base/text/count-words.ts";
import type { Clock } from "../../base/clock.ts";
import { earlierVersions, type NodeSeen } from "../../fleet/index.ts";
import type { Queue, QueueFormat } from "../../queue/index.ts";
import type { OpenFleet } from "./open-fleet.ts";

export interface FinishUpgradeOptions {
  readonly fleet: Pick<OpenFleet, "roster">;
  /** Undefined: there is none yet, and a new one is of this version. */
  readonly queue: Pick<Queue, "format" | "finishUpgrade"> | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly isDryRun: boolean;
}

export interface FinishedUpgrade {
  /** Of the queue, before and afterwards; undefined: there is none. */
  readonly before: QueueFormat | undefined;
  readonly after: QueueFormat | undefined;
  /** Nodes of earlier versions that do not run now. */
  readonly absent: readonly NodeSeen[];
}

/**
 * Ends an upgrade: the queue need no longer be readable by the version before. Throws `conflict` and
 * changes nothing while a node that is seen runs an earlier version.
 */
export async function finishUpgrade(options: FinishUpgradeOptions): Promise<FinishedUpgrade> {
  const { fleet, queue, version, clock, isDryRun } = options;
  const { running, absent } = earlierVersions(await fleet.roster(), { version, nowMs: clock.nowMs() }); // prettier-ignore
  if (running.length > 0) {
    const names = running.map(({ node, label, beat }) => `${label || node} (${beat?.version || "unknown"})`); // prettier-ignore
    const message =
      `${countOf(running.length, "node")} still on a version before ${version}: ` +
      `${names.join(", ")}. Upgrade them first; nothing was changed`;
    throw new AppError("conflict", "fleet_earlier_versions", message);
  }
  const before = await queue?.format();
  const after = isDryRun ? before : await queue?.finishUpgrade();
  return { before, after, absent };
}
