import { isPresent, type NodeSeen } from "./roster.ts";

export interface EarlierVersions {
  /** Running nodes. They could not continue after the end of an upgrade. */
  readonly running: readonly NodeSeen[];
  /** Stopped nodes. If they are not upgraded before they start again, the queue refuses them. */
  readonly absent: readonly NodeSeen[];
}

/**
 * The nodes whose last heartbeat came from an earlier version, or from an unknown one. A node that
 * only runs commands sends no heartbeat; this node then has the version that asks.
 */
export function earlierVersions(
  nodes: readonly NodeSeen[],
  { version, nowMs }: { readonly version: string; readonly nowMs: number },
): EarlierVersions {
  const earlier = nodes.filter(({ heartbeat, lastSeenMs, isSelf }) => {
    if (!heartbeat) return lastSeenMs !== undefined && !isSelf;
    return isBefore(heartbeat.version, version);
  });
  const [running, absent] = [true, false].map((is) => earlier.filter((one) => isPresent(one, nowMs) === is)); // prettier-ignore
  return { running: running!, absent: absent! };
}

/** Whether `0.9.2` comes before `0.10.0`. A text that is not a version comes before all versions. */
function isBefore(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => (/^\d+(?:\.\d+)*/.exec(text)?.[0] ?? "-1").split(".").map(Number)); // prettier-ignore
  for (let at = 0; at < Math.max(a!.length, b!.length); at++) {
    const difference = (a![at] ?? 0) - (b![at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
