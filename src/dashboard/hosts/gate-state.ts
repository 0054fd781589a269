import type { RowOf } from "../data/api.ts";
import { formatDuration } from "../data/format.ts";

export type HostGate = RowOf<"/api/queue/gates">;

/** Says if a task of the host could start now. */
export function gateState(gate: HostGate): { readonly text: string; readonly pill: string } {
  const { blockedForMs, opensInMs, running, limit, delayMs } = gate;
  if (blockedForMs > 0) return { text: `blocked for ${formatDuration(blockedForMs)}`, pill: "bad" };
  const isOwned = delayMs > 0 || limit === 1;
  if (running > 0 && (isOwned || running >= limit)) return { text: "visited now", pill: "" };
  if (opensInMs > 0) return { text: `pauses for ${formatDuration(opensInMs)}`, pill: "warn" };
  return { text: "may be visited", pill: "quiet" };
}
