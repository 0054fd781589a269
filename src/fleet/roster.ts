import { AppError } from "../base/app-error.ts";
import { nearestHint } from "../base/text/nearest.ts";
import type { HeadSeen } from "../ledger/index.ts";
import { parseHeartbeat, toPlain, type NodeHeartbeat } from "./heartbeat.ts";
import type { NodeView, PeerSeen } from "./node-view.ts";

/** Everything that is known here about a node of the fleet. */
export interface NodeSeen {
  readonly node: string;
  readonly label: string;
  readonly isSelf: boolean;
  /** By this machine's clock; undefined: it was never seen. */
  readonly lastSeenMs: number | undefined;
  readonly session: string | undefined;
  readonly addresses: readonly string[];
  /** How it is known: self, mdns, static, bucket, told, heard; head: only from the bucket. */
  readonly how: string;
  readonly rttMs: number | undefined;
  readonly heartbeat: NodeHeartbeat | undefined;
  readonly head: HeadSeen["head"] | undefined;
  readonly peer: PeerSeen | undefined;
}

export interface RosterInput {
  readonly nowMs: number;
  readonly self: { readonly node: string; readonly label: string };
  readonly heads: readonly HeadSeen[];
  /** The view of the node that runs on this machine; undefined: none runs. */
  readonly view: NodeView | undefined;
}

/** A node sends a heartbeat each minute. After three minutes without one it is missing. */
export const missedMs = 180_000;

export const isPresent = ({ lastSeenMs, heartbeat }: NodeSeen, nowMs: number): boolean =>
  lastSeenMs !== undefined && nowMs - lastSeenMs < missedMs && heartbeat?.state !== "stopped";

/** All nodes that the bucket, the peers or this machine know of; this node first, then by name. */
export function rosterOf({ nowMs, self, heads, view }: RosterInput): readonly NodeSeen[] {
  const headOf = new Map(heads.map((seen) => [seen.head.node, seen]));
  const peerOf = new Map((view?.peers ?? []).map((peer) => [peer.node, peer]));
  const names = new Set([self.node, ...headOf.keys(), ...peerOf.keys()]);
  const nodes = [...names].map((node): NodeSeen => {
    const [seen, peer] = [headOf.get(node), peerOf.get(node)];
    const isSelf = node === self.node;
    const own = isSelf && view?.node === node ? view : undefined;
    const headAtMs = seen && nowMs - seen.ageMs;
    const headHeartbeat = parseHeartbeat(seen?.head.beat);
    const moments = [own?.atMs, peer?.lastHeardMs, headAtMs].filter((at) => at !== undefined);
    const heartbeat = own?.heartbeat ?? newer(peer?.heartbeat, headHeartbeat);
    return {
      node,
      label: heartbeat?.label || (isSelf && self.label) || toPlain(seen?.head.label ?? ""),
      isSelf,
      lastSeenMs: moments.length > 0 ? Math.max(...moments) : undefined,
      session: peer?.session ?? seen?.head.session,
      addresses: peer ? [peer.address] : (seen?.head.addresses ?? []),
      how: isSelf ? "self" : (peer?.how ?? "head"),
      rttMs: peer?.rttMs,
      heartbeat,
      head: seen?.head,
      peer,
    };
  });
  return nodes.sort((a, b) => {
    if (a.isSelf !== b.isSelf) return a.isSelf ? -1 : 1;
    return a.label === b.label ? (a.node < b.node ? -1 : 1) : a.label < b.label ? -1 : 1;
  });
}

/** The newer of two heartbeats of one node. They are comparable, because one clock made both. */
const newer = (
  a: NodeHeartbeat | undefined,
  b: NodeHeartbeat | undefined,
): NodeHeartbeat | undefined => (a && b ? (a.atMs >= b.atMs ? a : b) : (a ?? b));

/** Finds a node by id, by the beginning of its id, or by host name. Throws `fleet_node`. */
export function findNode(nodes: readonly NodeSeen[], name: string): NodeSeen {
  const found =
    nodes.find(({ node }) => node === name) ??
    only(nodes.filter(({ label }) => label === name)) ??
    only(nodes.filter(({ node }) => name.length >= 3 && node.startsWith(name)));
  if (found) return found;
  const shown = nodes.slice(0, 20).map(({ node, label }) => `${label} (${node})`);
  const isMany = nodes.filter(({ label }) => label === name).length > 1;
  const labels = nodes.map(({ label }) => label).filter((label) => !isOtherNumber(label, name));
  const hint = nearestHint(name, labels, (meant) => ` (did you mean ${meant}?)`);
  const message = isMany
    ? `node name '${name.slice(0, 80)}' is ambiguous; use an id, or set node.name: ${shown.join(", ")}`
    : `no node '${name.slice(0, 80)}' is known here${hint}: a node is known once \`forager up\` or ` +
      `\`forager work\` has run on it; known: ${shown.join(", ")}`;
  throw new AppError("invalid", "fleet_node", message);
}

/** `pi-2` and `pi-3` are two machines; one is not a misspelling of the other. */
const isOtherNumber = (a: string, b: string): boolean => digitsOf(a) !== digitsOf(b);

const digitsOf = (name: string): string => name.replaceAll(/\D+/g, " ").trim();

const only = <T>(some: readonly T[]): T | undefined => (some.length === 1 ? some[0] : undefined);
