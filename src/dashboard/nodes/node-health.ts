/** Problems of a node, in words. The limits are the same as for the server's alarms. */
import type { AnswerOf } from "../data/api.ts";
import { formatDuration } from "../data/format.ts";

export type NodeRow = AnswerOf<"GET", "/api/status">["nodes"][number];

const offsetMsMax = 60_000;
const freeDiskMin = 0.05;
const temperatureMax = 80;

export const nameOf = ({ label, node }: Pick<NodeRow, "label" | "node">): string => label || node;

/** The value that most nodes have; a node with another value is marked. */
export function usual(values: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) {
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

export interface Usual {
  readonly version: string | undefined;
  readonly config: string | undefined;
}

export const usualOf = (nodes: readonly NodeRow[]): Usual => ({
  version: usual(nodes.map(({ beat }) => beat?.version)),
  config: usual(nodes.map(({ beat }) => beat?.config)),
});

export const isMissed = ({ isPresent, isSelf, beat }: NodeRow): boolean =>
  !isPresent && !isSelf && beat?.state !== "stopped";

export function isBehind({ drift }: NodeRow): boolean {
  return drift !== null && drift.missingHere + (drift.missingThere ?? 0) > 0;
}

/** Empty if the node has no problem. */
export function faultsOf(node: NodeRow, most: Usual): readonly string[] {
  const { beat } = node;
  if (isMissed(node)) return [`not seen for ${formatDuration(node.agoMs ?? 0)}`];
  if (!beat) return [];
  const { diskBytes, clockOffsetMs = 0, temperatureC = 0, followed } = beat;
  return [
    ...(most.version !== undefined && beat.version !== most.version ? ["another version"] : []),
    ...(most.config !== undefined && beat.config !== undefined && beat.config !== most.config
      ? ["other settings"]
      : []),
    ...(Math.abs(clockOffsetMs) > offsetMsMax ? ["clock is off"] : []),
    ...(diskBytes && diskBytes.free < freeDiskMin * diskBytes.total ? ["disk is nearly full"] : []),
    ...(temperatureC >= temperatureMax ? ["hot"] : []),
    ...(followed?.isApplied === false ? ["a command failed"] : []),
    ...beat.alerts,
  ];
}

/** The number of running tasks, and how many may run. */
export function slotsOf({ beat }: NodeRow): { readonly running: number; readonly slots: number } {
  const all = Object.values(beat?.kinds ?? {});
  return {
    slots: all.reduce((sum, [slots]) => sum + slots, 0),
    running: all.reduce((sum, [, running]) => sum + running, 0),
  };
}
