import { formatBytes, formatDuration, plural } from "../data/format.ts";
import { tasksHref } from "../data/task-query.ts";
import { withQuery } from "../data/router.ts";
import { Ago, Text } from "../parts/text.tsx";
import {
  faultsOf,
  isBehind,
  isMissed,
  nameOf,
  slotsOf,
  type NodeRow,
  type Usual,
} from "./node-health.ts";

interface NodeTableProps {
  readonly nodes: readonly NodeRow[];
  readonly hub: string | undefined;
  readonly most: Usual;
}

export function NodeTable({ nodes, hub, most }: NodeTableProps) {
  return (
    <table class="cards rows">
      <thead>
        <tr>
          <th>Node</th>
          <th>State</th>
          <th>Heartbeat</th>
          <th class="n">Tasks</th>
          <th class="n">Load</th>
          <th>Memory</th>
          <th>Disk</th>
          <th class="n">Temp.</th>
          <th class="n">Clock</th>
          <th>Version</th>
          <th>Data</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <NodeLine key={node.node} node={node} isHub={node.node === hub} most={most} />
        ))}
      </tbody>
    </table>
  );
}

interface NodeLineProps {
  readonly node: NodeRow;
  readonly isHub: boolean;
  readonly most: Usual;
}

function NodeLine({ node, isHub, most }: NodeLineProps) {
  const { beat } = node;
  const faults = faultsOf(node, most);
  const { running, slots } = slotsOf(node);
  const isOtherVersion = beat && most.version !== undefined && beat.version !== most.version;
  return (
    <tr>
      <td data-label="Node">
        <span>
          <a href={withQuery({ open: node.node })}>
            <b>
              <Text value={nameOf(node)} max={40} />
            </b>
          </a>{" "}
          {node.isSelf && <span class="pill quiet">this node</span>}{" "}
          {isHub && <span class="pill">hub</span>}
        </span>
      </td>
      <td data-label="State">
        <span>
          <StatePill node={node} />
          {faults.slice(0, 3).map((fault) => (
            <span key={fault}>
              {" "}
              <span class="pill bad">
                <Text value={fault} max={60} />
              </span>
            </span>
          ))}
        </span>
      </td>
      <td data-label="Heartbeat" class="nowrap dim">
        <Ago atMs={node.lastSeenMs ?? undefined} />
      </td>
      <td data-label="Tasks" class="n">
        {beat && slots > 0 ? (
          <a href={tasksHref({ state: ["running"] })} title={kindTexts(node)}>
            {running} <span class="dim">of {slots}</span>
          </a>
        ) : (
          ""
        )}
      </td>
      <td data-label="Load" class="n">
        {beat?.load1.toFixed(1)}
      </td>
      <td data-label="Memory">{beat && <Meter size={beat.memoryBytes} warnFrom={0.9} />}</td>
      <td data-label="Disk">
        {beat?.diskBytes && <Meter size={beat.diskBytes} warnFrom={0.95} />}
      </td>
      <td data-label="Temperature" class="n">
        {beat?.temperatureC !== undefined && `${Math.round(beat.temperatureC)} °C`}
      </td>
      <td data-label="Clock" class="n nowrap">
        {beat?.clockOffsetMs !== undefined && clockText(beat.clockOffsetMs)}
      </td>
      <td data-label="Version" class="nowrap">
        {beat &&
          (isOtherVersion ? (
            <span class="pill warn">{beat.version}</span>
          ) : (
            <span class="dim">{beat.version}</span>
          ))}
      </td>
      <td data-label="Data">
        <DataPill node={node} />
      </td>
    </tr>
  );
}

export function StatePill({ node }: { readonly node: NodeRow }) {
  const { beat, isSelf } = node;
  if (isMissed(node)) return <span class="pill warn">missing</span>;
  if (!beat) return <span class="pill quiet">{isSelf ? "serving" : "no heartbeat"}</span>;
  const isQuiet = beat.state === "idle" || beat.state === "stopped";
  const isHeld = beat.state === "paused" || beat.state === "drained";
  return <span class={`pill ${isQuiet ? "quiet" : isHeld ? "warn" : ""}`}>{beat.state}</span>;
}

function DataPill({ node }: { readonly node: NodeRow }) {
  const { drift, isSelf } = node;
  if (isSelf) return null;
  if (!drift) return <span class="dim">not known</span>;
  if (!isBehind(node)) return <span class="dim">in sync</span>;
  return (
    <a
      href={withQuery({ open: node.node })}
      class="pill warn"
      title={`the oldest change has been missing for ${formatDuration(1_000 * drift.seconds)}`}
    >
      {plural(drift.missingHere + (drift.missingThere ?? 0), "change")} apart
    </a>
  );
}

interface MeterProps {
  readonly size: { readonly total: number; readonly free: number };
  /** Above this share of used space it is drawn as a warning. */
  readonly warnFrom: number;
}

/** Shows how much of something is used. */
export function Meter({ size: { total, free }, warnFrom }: MeterProps) {
  const used = total === 0 ? 0 : (total - free) / total;
  return (
    <span class="meter" title={`${formatBytes(free)} of ${formatBytes(total)} free`}>
      <span class="bar" aria-hidden>
        <i class={used >= warnFrom ? "full" : ""} style={{ width: `${Math.round(100 * used)}%` }} />
      </span>
      <small>{formatBytes(free)} free</small>
    </span>
  );
}

export const clockText = (offsetMs: number): string =>
  Math.abs(offsetMs) < 1
    ? "exact"
    : `${offsetMs < 0 ? "−" : "+"}${formatDuration(Math.abs(offsetMs))}`;

export const kindTexts = ({ beat }: NodeRow): string =>
  Object.entries(beat?.kinds ?? {})
    .map(([kind, [slots, running]]) => `${kind}: ${running} of ${slots}`)
    .join(", ");
