import { assert } from "../base/app-error.ts";
import type { Beat, Followed } from "./beat.ts";
import type { NodeView, PeerSeen } from "./node-view.ts";

/** Several processes of one data folder are one node: what they say of it is said as one. */
export function joinViews(views: readonly NodeView[]): NodeView | undefined {
  const [first, ...others] = views.toSorted((a, b) => b.wanted.revision - a.wanted.revision);
  if (!first) return undefined;
  const own = [first, ...others.filter(({ node }) => node === first.node)];
  // One of them keeps in touch; another may have done so until a moment ago.
  const peers = new Map<string, PeerSeen>();
  for (const peer of own.flatMap((view) => view.peers)) {
    const known = peers.get(peer.node);
    if (!known || known.lastHeardMs < peer.lastHeardMs) peers.set(peer.node, peer);
  }
  const beat = joinBeats(own.map((view) => view.beat));
  const gossip = own.map((view) => view.gossip).find((one) => one !== undefined);
  return {
    ...first,
    atMs: Math.max(...own.map(({ atMs }) => atMs)),
    beat,
    ...(gossip && { gossip }),
    peers: [...peers.values()],
  };
}

/** What the most active one does, the node does. */
const states = ["working", "paused", "drained", "idle", "stopped"] as const;
const alertsMax = 20;
const whatLengthMax = 300;

/** At least one. What belongs to the machine is taken from the first; one that stops counts no more. */
export function joinBeats(beats: readonly Beat[]): Beat {
  const left = beats.filter(({ state }) => state !== "stopped");
  const [first, ...others] = left.length > 0 ? left : beats.slice(0, 1);
  assert(first, "there is a heartbeat to join");
  if (others.length === 0) return first;
  const all = [first, ...others];
  const { followed: _own, ...rest } = first;
  const followed = joinFollowed(all);
  return {
    ...rest,
    atMs: Math.max(...all.map(({ atMs }) => atMs)),
    state: states.find((state) => all.some((beat) => beat.state === state))!,
    kinds: joinKinds(all),
    peers: Math.max(...all.map(({ peers }) => peers)),
    alerts: [...new Set(all.flatMap(({ alerts }) => alerts))].slice(0, alertsMax),
    ...(followed && { followed }),
  };
}

function joinKinds(beats: readonly Beat[]): Beat["kinds"] {
  const joined = new Map<string, [number, number]>();
  for (const [kind, [limit, atWork]] of beats.flatMap(({ kinds }) => Object.entries(kinds))) {
    const [knownLimit, knownAtWork] = joined.get(kind) ?? [0, 0];
    joined.set(kind, [knownLimit + limit, knownAtWork + atWork]);
  }
  return Object.fromEntries(joined);
}

/** A node has followed what all of it has. Of one that does no work nothing is told but what failed. */
function joinFollowed(beats: readonly Beat[]): Followed | undefined {
  const all = beats.map(({ followed }) => followed).filter((one) => one !== undefined);
  if (all.length < beats.length) return undefined;
  const working = beats.filter(({ state }) => state !== "idle");
  const failed = beats.filter(({ followed }) => followed?.isApplied === false);
  const told = failed.length > 0 ? failed : working.length > 0 ? working : beats;
  const what = [...new Set(told.map(({ followed }) => followed?.what))].join("; ");
  return {
    revision: Math.min(...all.map(({ revision }) => revision)),
    atMs: Math.max(...all.map(({ atMs }) => atMs)),
    isApplied: failed.length === 0,
    what: what.slice(0, whatLengthMax),
  };
}
