import { sitePageKind } from "../../site-crawl/index.ts";
import { countOf } from "../../base/text/count-words.ts";
import { formatDuration } from "../../base/text/format-time.ts";
import { isAlarmName, type Alarm, type RunbookName } from "../../notify/index.ts";
import type { ClusterStatus, NodeStatus, QueueStatus } from "./cluster-status.ts";

/** A node that was not seen for longer counts as gone for good and is not reported. */
const forgottenMs = 7 * 86_400_000;
const driftSecondsMax = 120;
const offsetMsMax = 60_000;
const diskShareMin = 0.05;
const temperatureMax = 80;

/** A problem that needs attention. */
export interface Problem extends Omit<Alarm, "name"> {
  /** The name of its runbook page. */
  readonly name: RunbookName;
}

export type StatusReading = Omit<ClusterStatus, "attention" | "problems">;

/** Problems that need attention; each text says what and where. */
export function problemsOf(status: StatusReading): readonly Problem[] {
  return [...alarmsOf(status), ...queueTroubles(status)];
}

/** The same without data of the queue: alarms are detected and sent even if it does not answer. */
export function alarmsOf(status: StatusReading): readonly Alarm[] {
  return [
    ...status.nodes.flatMap(nodeTroubles),
    ...differences(status.nodes),
    ...ledgerTroubles(status),
    ...hubTroubles(status),
  ];
}

function nodeTroubles(node: NodeStatus): readonly Alarm[] {
  const { label, beat, drift, agoMs, isPresent } = node;
  const subject = label || node.node;
  const isMissed = !isPresent && beat?.state !== "stopped" && agoMs !== null;
  if (isMissed && agoMs < forgottenMs) {
    const text = `${subject} is missing: it was last seen ${formatDuration(agoMs)} ago`;
    return [{ name: "node_missing", subject, text }];
  }
  if (!isPresent || !beat) return [];
  const { diskBytes, temperatureC, clockOffsetMs, followed } = beat;
  const found: Alarm[] = beat.alerts.map((alert) => alertAlarm(alert, subject));
  const add = (name: Alarm["name"], text: string) => void found.push({ name, subject, text });
  if (drift && drift.seconds > driftSecondsMax) {
    for (const [name, text] of driftWords(subject, drift)) add(name, text);
  }
  if (followed?.isApplied === false) {
    add(
      "command_failed",
      `${subject} could not apply revision ${followed.revision}: ${followed.what}`,
    );
  }
  if (Math.abs(clockOffsetMs ?? 0) > offsetMsMax) {
    add("clock", `${subject}: its clock is off by ${formatDuration(Math.abs(clockOffsetMs!))}`);
  }
  if (diskBytes && diskBytes.total > 0 && diskBytes.free / diskBytes.total < diskShareMin) {
    const percent = ((100 * diskBytes.free) / diskBytes.total).toFixed(1);
    add("disk", `${subject}: ${percent} % of its disk is left`);
  }
  if ((temperatureC ?? 0) >= temperatureMax) add("heat", `${subject} is ${temperatureC} °C hot`);
  return found;
}

/**
 * The text of an alert can end differently while it lasts, so the alarm is identified without its
 * end.
 */
export function alertAlarm(alert: string, node: string): Alarm {
  const text = `${node}: ${alert}`;
  const [, name, part] =
    /^([a-z ]{1,40}): ((?:kind|shard|worker|node) \S{1,100})/.exec(alert) ?? [];
  const known = name?.replaceAll(" ", "_") ?? "";
  if (!isAlarmName(known)) return { name: "alert", subject: `${node} ${alert}`, text };
  return { name: known, subject: `${node} ${part}`, text };
}

function driftWords(
  name: string,
  drift: NonNullable<NodeStatus["drift"]>,
): readonly (readonly [name: Alarm["name"], text: string])[] {
  const since = `for ${formatDuration(drift.seconds * 1_000)}`;
  const { missingHere, missingThere } = drift;
  return [
    ...(missingThere
      ? [["drift_there", `${name} lacks ${countOf(missingThere, "datagram")} ${since}`] as const]
      : []),
    ...(missingHere > 0
      ? [["drift_here", `this node lacks ${countOf(missingHere, "datagram")} of ${name} ${since}`] as const] // prettier-ignore
      : []),
  ];
}

/** Nodes whose version or settings differ from those of the majority. */
function differences(nodes: readonly NodeStatus[]): readonly Alarm[] {
  const present = nodes.filter(({ isPresent, beat }) => isPresent && beat);
  const words = { version: "runs another version", config: "has other settings" } as const;
  return (Object.keys(words) as (keyof typeof words)[]).flatMap((key) => {
    const counts = new Map<string, number>();
    for (const { beat } of present) {
      const value = beat?.[key];
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const [usual] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
    return present
      .filter(({ beat }) => beat?.[key] !== undefined && beat[key] !== usual)
      .map(({ label, beat }) => ({
        name: `other_${key}` as const,
        subject: label,
        text: `${label} ${words[key]}: ${beat?.[key]}, not ${usual}`,
      }));
  });
}

function ledgerTroubles({ ledger }: Pick<ClusterStatus, "ledger">): readonly Alarm[] {
  const { quarantined, stranded, cuts, lost, lostCheckpoint, faults } = ledger;
  const texts = {
    quarantine:
      quarantined > 0
        ? [`${countOf(quarantined, "datagram")} in quarantine: see forager ledger quarantine`]
        : [],
    stranded: stranded > 0 ? [`${countOf(stranded, "datagram")} without the preceding ones`] : [],
    lost_data:
      lost > 0
        ? [`${countOf(lost, "datagram")} of this node missing here, and nothing can be written: run forager ledger sync`] // prettier-ignore
        : [],
    lost_checkpoint:
      lostCheckpoint === null
        ? []
        : [`checkpoint ${lostCheckpoint} missing here, and nothing can be written: run forager ledger sync`], // prettier-ignore
    sync: faults.map((fault) => `the last sync: ${fault}`),
    torn_tail:
      cuts > 0
        ? [
            "an incomplete record was cut off the end of a journal: a process or the machine had died",
          ]
        : [],
  };
  return (Object.keys(texts) as (keyof typeof texts)[]).flatMap((name) =>
    texts[name].map((text) => ({ name, subject: "ledger", text })),
  );
}

function hubTroubles({ hub, hubGap }: Pick<ClusterStatus, "hub" | "hubGap">): readonly Alarm[] {
  if (hubGap) return [{ name: "no_hub", subject: "fleet", text: hubGap.text }];
  if (hub?.state !== "expired") return [];
  const text = `the hub ${hub.node} was last heard ${formatDuration(hub.ageMs)} ago: is it gone?`;
  return [{ name: "hub_gone", subject: hub.node, text }];
}

function queueTroubles({
  queue,
  nodes,
}: Pick<ClusterStatus, "queue" | "nodes">): readonly Problem[] {
  if (!queue) return [];
  return [...failedTasks(queue), ...idleWork(queue, nodes)];
}

/**
 * Failed tasks are reported until someone retries them, or moves them into the log with `queue
 * purge`.
 */
function failedTasks({ kinds }: QueueStatus): readonly Problem[] {
  return kinds
    .filter(({ failed }) => failed > 0)
    .map(({ kind, failed }) => ({
      name: "failed_tasks",
      subject: kind,
      text:
        `${countOf(failed, `${kind} task`)} failed: see forager queue list --state failed --kind ${kind}, then retry or purge them` +
        // Only a crawl runs these tasks.
        (kind === sitePageKind ? "; after a retry continue with: forager crawl --resume" : ""),
    }));
}

function idleWork({ kinds }: QueueStatus, nodes: readonly NodeStatus[]): readonly Problem[] {
  const claimable = kinds.reduce((sum, kind) => sum + kind.claimable, 0);
  const isWorked = nodes.some(({ isPresent, beat }) => isPresent && beat?.state === "working");
  const isPaused = nodes.some(({ isPresent, beat }) => isPresent && beat?.state === "paused");
  if (claimable === 0 || isWorked || isPaused) return [];
  const text = `${countOf(claimable, "task")} could run, but no node is working`;
  return [{ name: "idle_tasks", subject: "queue", text }];
}
