import { formatDuration } from "../../base/text/format-time.ts";
import { checkpointTarget, parseStamp, type Datagram } from "../../ledger/index.ts";
import type { ClusterStatus, HubGap, NodeStatus } from "./cluster-status.ts";

const dayMs = 86_400_000;

export interface HubGapInput extends Pick<ClusterStatus, "hub" | "nodes"> {
  readonly nowMs: number;
  /** The datagrams that this node has beyond its checkpoint. */
  readonly log: readonly Pick<Datagram, "target" | "stamp">[];
}

/** The reason why nobody folds the segments of the fleet; null if somebody does. */
export function hubGapOf({ hub, nodes, nowMs, log }: HubGapInput): HubGap | null {
  if (hub && hub.ageMs < dayMs) return null;
  const unable = unableNodes(nodes);
  if (unable) {
    const text =
      `no node can be the hub: ${unable.join("; ")}. ` +
      `Grant one node the rights, or set ledger.hub to auto on one that has them`;
    return { code: "no_rights", text };
  }
  const oldestMs = oldestBeyond(log);
  if (oldestMs === undefined || nowMs - oldestMs < dayMs) return null;
  const since = hub ? `since ${formatDuration(hub.ageMs)}` : "yet";
  const text =
    `there was no hub ${since}, and data of ${formatDuration(nowMs - oldestMs)} ago is in no ` +
    `checkpoint: run forager up on a node with ledger.hub = "auto", or forager ledger compact now`;
  return { code: "none_for_a_day", text };
}

/** Undefined if some node can be the hub, has not found out yet, or reports nothing about it. */
function unableNodes(nodes: readonly NodeStatus[]): readonly string[] | undefined {
  const present = nodes.filter(({ isPresent, beat }) => isPresent && beat);
  const hubs = present.map(({ label, beat }) => ({ label, ability: beat?.hub }));
  const isUnable = hubs.every(
    ({ ability }) => ability?.state === "unable" || ability?.state === "never",
  );
  if (hubs.length === 0 || !isUnable) return undefined;
  return hubs.map(({ label, ability }) => {
    const why = ability?.state === "never" ? "its ledger.hub is set to never" : ability?.why;
    return `${label}: ${why ?? "rights are missing"}`;
  });
}

/** The record of a checkpoint does not itself need a new checkpoint. */
function oldestBeyond(log: HubGapInput["log"]): number | undefined {
  let oldest: string | undefined;
  for (const { target, stamp } of log) {
    if (target !== checkpointTarget && (oldest === undefined || stamp < oldest)) oldest = stamp;
  }
  return oldest === undefined ? undefined : parseStamp(oldest).ms;
}
