import { ownKeyAdvice, type ClusterStatus, type NodeStatus } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { formatDuration, formatMoment } from "../../../base/text/format-time.ts";
import { runbookCommand } from "../../../notify/index.ts";
import type { ReasonStats } from "../../../queue/index.ts";
import type { Layout } from "../../terminal/output.ts";
import type { TableColumn } from "../../terminal/table.ts";

/** For people: the nodes, how far they differ, waiting work, and what needs attention. */
export function describeStatus(status: ClusterStatus, isCluster: boolean, layout: Layout): string {
  const { ledger, nodes, attention } = status;
  const shares = ledger.unpublished > 0 ? `, ${ledger.unpublished} not shared yet` : "";
  const sections = [
    layout.table(nodes, nodeColumns(isCluster)),
    [
      `ledger: checkpoint ${ledger.checkpoint}, ${countOf(ledger.datagramsSinceCheckpoint, "datagram")} beyond it${shares}; ` +
        `${ledger.quarantined} quarantined, ${countOf(ledger.conflicts, "conflict")}`,
      ...(isCluster ? [describeHub(status)] : []),
      ...describeGossip(status),
      ...describeQueue(status),
    ].join("\n"),
    attention.length === 0
      ? "nothing needs attention"
      : ["needs attention:", ...attention.map((one) => `  ${one}`), ...whatToDo(status)].join("\n"),
  ];
  return sections.join("\n\n");
}

function whatToDo({ problems }: ClusterStatus): readonly string[] {
  const names = [...new Set(problems.map(({ name }) => name))];
  return names.length === 0 ? [] : [`what to do: ${names.map(runbookCommand).join(", ")}`];
}

/** The status as one line for a log. */
export function describeStatusInLine({ atMs, nodes, queue, attention }: ClusterStatus): string {
  const present = nodes.filter(({ isPresent }) => isPresent).length;
  const tasks = queue ? `, ${queue.states.pending} pending, ${queue.states.running} running` : "";
  const care = attention.length === 0 ? "all well" : attention.join("; ");
  return `${formatMoment(atMs)} ${present} of ${countOf(nodes.length, "node")}${tasks}, ${care}`;
}

function describeHub({ hub, checkpoint }: ClusterStatus): string {
  const who = hub
    ? `hub ${hub.node}, epoch ${hub.epoch}, ${hub.state}, heard ${formatDuration(hub.ageMs)} ago`
    : "no hub seen";
  const what = checkpoint
    ? `checkpoint ${checkpoint.number} of ${formatDuration(checkpoint.ageMs)} ago, ${checkpoint.quarantined} quarantined`
    : "no checkpoint seen";
  return `${who}; ${what}`;
}

function describeGossip({ gossip, gossipKey }: ClusterStatus): readonly string[] {
  const key = {
    own: [`gossip: own key only, ${ownKeyAdvice}`],
    settings: ["gossip: key from gossip.keys"],
    off: [],
  }[gossipKey];
  if (!gossip) return key;
  const { packetsIn, packetsOut, droppedByReason } = gossip;
  const dropped = Object.entries(droppedByReason)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason}`);
  const why =
    dropped.length > 0 ? `; dropped: ${dropped.join(", ")} (${docsPage("gossip.md")})` : "";
  return [...key, `gossip: ${packetsIn} packets in, ${packetsOut} out${why}`];
}

function describeQueue({ queue }: ClusterStatus): readonly string[] {
  if (!queue) return ["queue: none seen"];
  const states = Object.entries(queue.states).map(([state, count]) => `${count} ${state}`);
  const kinds = queue.kinds.map(({ kind, pending, running, done, failed, reasons }) => {
    const why = reasons.length > 0 ? ` (${describeReasons(reasons)})` : "";
    return `  ${kind}: ${pending} pending${why}, ${running} running, ${done} done, ${failed} failed`;
  });
  const waiting = describeReasons(queue.reasons);
  return [
    `queue: ${states.join(", ")}`,
    `  ${describeLog(queue)}`,
    ...(waiting === "" ? [] : [`  waiting: ${waiting}`]),
    ...kinds,
  ];
}

function describeLog({ log, keep }: NonNullable<ClusterStatus["queue"]>): string {
  const since = log.entries === 0 ? "" : ` since ${formatMoment(log.oldestAtMs)}`;
  const moves = log.waitsForUpgrade
    ? "no finished task moves into it until `forager fleet finish-upgrade`"
    : `finished tasks move into it after ${countOf(keep.doneDays, "day")}, failed ones after ${keep.failedDays}`;
  return (
    `log: ${countOf(log.entries, "entry")}${since}, ` +
    `${countOf(log.keptKeys, "key")} reserved for ${countOf(keep.keysDays, "day")}; ${moves}`
  );
}

const describeReasons = (reasons: readonly ReasonStats[]): string =>
  reasons
    .filter(({ count }) => count > 0)
    .map(({ reason, count, oldestAgeMs }) => `${count} ${reason} ${formatDuration(oldestAgeMs)}`)
    .join(", ");

const dash = "-";

const nodeColumns = (isCluster: boolean): readonly TableColumn<NodeStatus>[] => [
  { title: "node", value: ({ node }) => node, isKey: true },
  { title: "name", value: ({ label, isSelf }) => (isSelf ? `${label} *` : label), isKey: true },
  {
    title: "seen",
    value: ({ agoMs }) => (agoMs === null ? "never" : `${formatDuration(agoMs)} ago`),
    tint: ({ isPresent, beat }) =>
      isPresent ? "good" : beat?.state === "stopped" ? undefined : "bad",
  },
  { title: "state", value: ({ beat }) => beat?.state ?? dash },
  ...(isCluster ? fleetColumns : []),
  { title: "load", value: ({ beat }) => beat?.load1.toFixed(2) ?? dash },
  { title: "memory", value: ({ beat }) => (beat ? shareLeft(beat.memoryBytes) : dash) },
  { title: "disk", value: ({ beat }) => (beat?.diskBytes ? shareLeft(beat.diskBytes) : dash) },
  {
    title: "°C",
    value: ({ beat }) => (beat?.temperatureC === undefined ? dash : beat.temperatureC.toFixed(0)),
  },
  {
    title: "clock",
    value: ({ beat }) => (beat?.clockOffsetMs === undefined ? dash : signed(beat.clockOffsetMs)),
  },
  { title: "version", value: ({ beat }) => beat?.version ?? dash },
  { title: "at work", value: ({ beat }) => (beat ? describeKinds(beat.kinds) : dash) },
];

const fleetColumns: readonly TableColumn<NodeStatus>[] = [
  { title: "address", value: ({ addresses }) => addresses[0] ?? dash },
  { title: "found", value: ({ how }) => how },
  { title: "session", value: ({ session }) => session?.slice(0, 6) ?? dash },
  {
    title: "missing here/there",
    value: ({ drift }) => (drift ? `${drift.missingHere}/${drift.missingThere ?? "?"}` : dash),
    tint: ({ drift }) =>
      drift && drift.missingHere + (drift.missingThere ?? 0) > 0 ? "warn" : undefined,
  },
  { title: "for", value: ({ drift }) => (drift ? formatDuration(drift.seconds * 1_000) : dash) },
  {
    title: "hub",
    value: ({ beat }) => beat?.hub?.state ?? dash,
    tint: ({ beat }) => (beat?.hub?.state === "unable" ? "warn" : undefined),
  },
];

const shareLeft = ({ total, free }: { readonly total: number; readonly free: number }) =>
  total === 0 ? dash : `${Math.round((100 * free) / total)}% free`;

const signed = (ms: number) => `${ms < 0 ? "-" : "+"}${formatDuration(Math.abs(ms))}`;

const describeKinds = (kinds: Readonly<Record<string, readonly [number, number]>>): string =>
  Object.entries(kinds)
    .map(([kind, [limit, atWork]]) => `${kind} ${atWork}/${limit}`)
    .join(" ") || dash;
