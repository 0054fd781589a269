import { AppError } from "../../base/app-error.ts";
import { countOf } from "../../base/text/count-words.ts";
import type { Clock } from "../../base/clock.ts";
import { earlierVersions, missedMs, type NodeSeen } from "../../fleet/index.ts";
import type { Queue, QueueFormat } from "../../queue/index.ts";
import { finishIdForm, isIdFormFinished } from "../../records/index.ts";
import type { OpenFleet } from "./open-fleet.ts";

export interface FinishUpgradeOptions {
  readonly fleet: Pick<OpenFleet, "roster" | "ledger" | "write">;
  /** Undefined if the queue does not exist yet; a new one will have the current format. */
  readonly queue: Pick<Queue, "format" | "finishUpgrade"> | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly isDryRun: boolean;
}

export interface FinishedUpgrade {
  /** The format of the queue before and after; undefined if there is no queue. */
  readonly before: QueueFormat | undefined;
  readonly after: QueueFormat | undefined;
  /** From now on ids of new companies are hashes, also if nodes of earlier versions have written. */
  readonly isIdFormNew: boolean;
  /** Nodes of earlier versions that are not running. */
  readonly absent: readonly NodeSeen[];
}

/**
 * Ends an upgrade: from now on the previous version need not be able to read the queue, and nodes of
 * earlier versions no longer decide how ids of new companies are made. Throws `conflict` and changes
 * nothing if a visible node runs an earlier version.
 */
export async function finishUpgrade(options: FinishUpgradeOptions): Promise<FinishedUpgrade> {
  const { fleet, queue, version, clock, isDryRun } = options;
  const { running, absent } = earlierVersions(await fleet.roster(), { version, nowMs: clock.nowMs() }); // prettier-ignore
  if (running.length > 0) {
    const names = running.map(({ node, label, heartbeat }) => `${label || node} (${heartbeat?.version || "unknown"})`); // prettier-ignore
    const advice = running.every(({ heartbeat }) => heartbeat)
      ? "Upgrade them first"
      : "Upgrade them first; a node of an unknown version that only runs commands no longer counts " +
        `${missedMs / 60_000} minutes after the last one`;
    const message =
      `${countOf(running.length, "node")} on a version before ${version}, or on an unknown one: ` +
      `${names.join(", ")}. ${advice}; nothing was changed`;
    throw new AppError("conflict", "fleet_earlier_versions", message);
  }
  const before = await queue?.format();
  const after = isDryRun ? before : await queue?.finishUpgrade();
  const isIdFormNew = !(await isIdFormFinished(fleet.ledger));
  if (isIdFormNew && !isDryRun) await fleet.write({ source: "system", changes: [finishIdForm] });
  return { before, after, isIdFormNew, absent };
}
