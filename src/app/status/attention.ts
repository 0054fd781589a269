import { countOf } from "../../base/count-words.ts";
import { formatDuration } from "../../base/format-time.ts";
import type { ClusterStatus, NodeStatus, QueueStatus } from "./cluster-status.ts";

/** A node that was not seen for longer counts as gone for good and is not reported. */
const forgottenMs = 7 * 86_400_000;
const driftSecondsMax = 120;
const offsetMsMax = 60_000;
const diskShareMin = 0.05;
const temperatureMax = 80;

/** What a person should look at: each text says what and where. */
export function attentionOf(status: Omit<ClusterStatus, "attention">): readonly string[] {
  return [
    ...status.nodes.flatMap(nodeTroubles),
    ...differences(status.nodes),
    ...ledgerTroubles(status),
    ...hubTroubles(status),
    ...queueTroubles(status),
  ];
}

function nodeTroubles(node: NodeStatus): readonly string[] {
  const { label, beat, drift, agoMs, isPresent } = node;
  const name = label || node.node;
  const isMissed = !isPresent && beat?.state !== "stopped" && agoMs !== null;
  if (isMissed && agoMs < forgottenMs) {
    return [`${name} is missed: it was last seen ${formatDuration(agoMs)} ago`];
  }
  if (!isPresent || !beat) return [];
  const { diskBytes, temperatureC, clockOffsetMs, followed } = beat;
  const said: string[] = beat.alerts.map((alert) => `${name}: ${alert}`);
  if (drift && drift.seconds > driftSecondsMax) said.push(...driftWords(name, drift));
  if (followed?.isApplied === false) {
    said.push(`${name} could not follow revision ${followed.revision}: ${followed.what}`);
  }
  if (Math.abs(clockOffsetMs ?? 0) > offsetMsMax) {
    said.push(`${name}: its clock is off by ${formatDuration(Math.abs(clockOffsetMs!))}`);
  }
  if (diskBytes && diskBytes.total > 0 && diskBytes.free / diskBytes.total < diskShareMin) {
    const percent = ((100 * diskBytes.free) / diskBytes.total).toFixed(1);
    said.push(`${name}: ${percent} % of its disk is left`);
  }
  if ((temperatureC ?? 0) >= temperatureMax) said.push(`${name} is ${temperatureC} °C hot`);
  return said;
}

function driftWords(name: string, drift: NonNullable<NodeStatus["drift"]>): readonly string[] {
  const since = `for ${formatDuration(drift.seconds * 1_000)}`;
  const { missingHere, missingThere } = drift;
  return [
    ...(missingThere ? [`${name} lacks ${countOf(missingThere, "datagram")} ${since}`] : []),
    ...(missingHere > 0
      ? [`this node lacks ${countOf(missingHere, "datagram")} of ${name} ${since}`]
      : []),
  ];
}

/** Nodes whose version or settings differ from those of most. */
function differences(nodes: readonly NodeStatus[]): readonly string[] {
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
      .map(({ label, beat }) => `${label} ${words[key]}: ${beat?.[key]}, not ${usual}`);
  });
}

function ledgerTroubles({ ledger }: Pick<ClusterStatus, "ledger">): readonly string[] {
  const { quarantined, stranded, cuts, lost, lostCheckpoint, faults } = ledger;
  return [
    ...(quarantined > 0
      ? [`${countOf(quarantined, "datagram")} in quarantine: see forager ledger quarantine`]
      : []),
    ...(stranded > 0 ? [`${countOf(stranded, "datagram")} without what comes before`] : []),
    ...(lost > 0
      ? [
          `${countOf(lost, "datagram")} of this node missing here, and nothing can be written: run forager ledger sync`,
        ]
      : []),
    ...(lostCheckpoint === null
      ? []
      : [
          `checkpoint ${lostCheckpoint} missing here, and nothing can be written: run forager ledger sync`,
        ]),
    ...faults.map((fault) => `the last sync: ${fault}`),
    ...(cuts > 0 ? ["a torn tail was cut off a journal: a process or the machine had died"] : []),
  ];
}

function hubTroubles({ hub, hubGap }: Pick<ClusterStatus, "hub" | "hubGap">): readonly string[] {
  if (hubGap) return [hubGap.text];
  if (hub?.state !== "expired") return [];
  return [`the hub ${hub.node} was last heard ${formatDuration(hub.ageMs)} ago: is it gone?`];
}

function queueTroubles({
  queue,
  nodes,
}: Pick<ClusterStatus, "queue" | "nodes">): readonly string[] {
  if (!queue) return [];
  return [...failedTasks(queue), ...idleWork(queue, nodes)];
}

/** Until someone retries them, or moves them into the log with `queue purge`. */
function failedTasks({ kinds }: QueueStatus): readonly string[] {
  return kinds
    .filter(({ failed }) => failed > 0)
    .map(
      ({ kind, failed }) =>
        `${countOf(failed, `${kind} task`)} failed: see forager queue list --state failed --kind ${kind}, then retry or purge`,
    );
}

function idleWork({ kinds }: QueueStatus, nodes: readonly NodeStatus[]): readonly string[] {
  const claimable = kinds.reduce((sum, kind) => sum + kind.claimable, 0);
  const isWorked = nodes.some(({ isPresent, beat }) => isPresent && beat?.state === "working");
  const isPaused = nodes.some(({ isPresent, beat }) => isPresent && beat?.state === "paused");
  if (claimable === 0 || isWorked || isPaused) return [];
  return [`${countOf(claimable, "task")} could run, and no node works`];
}
