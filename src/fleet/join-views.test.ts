import { expect, test } from "vitest";
import type { Beat } from "./beat.ts";
import { joinBeats, joinViews } from "./join-views.ts";
import type { NodeView, PeerSeen } from "./node-view.ts";
import { sampleBeat } from "./testing/sample-beat.ts";

const beat = (more: Partial<Beat>): Beat => ({ ...sampleBeat, ...more });
const followed = (revision: number, what: string, isApplied = true) => ({
  followed: { revision, what, isApplied, atMs: revision },
});

test("several processes are one node: what the busiest does, with the workers and alerts of all", () => {
  const idle = beat({ state: "idle", peers: 3, alerts: ["hot"], load1: 1 });
  const works = beat({ kinds: { enrich: [4, 2], page: [1, 0] }, alerts: ["stall", "hot"] });
  const pauses = beat({ state: "paused", kinds: { enrich: [1, 1] } });
  for (const beats of [
    [idle, works, pauses],
    [pauses, works, idle],
  ]) {
    const joined = joinBeats(beats);
    expect(joined).toMatchObject({
      state: "working",
      kinds: { enrich: [5, 3], page: [1, 0] },
      peers: 3,
    });
    expect([...joined.alerts].sort()).toEqual(["hot", "stall"]);
  }
  expect(joinBeats([idle])).toBe(idle);
});

test("one of several that stops is not the node that stops", () => {
  const stopped = beat({ state: "stopped", kinds: { enrich: [4, 2] } });
  const idle = beat({ state: "idle" });
  expect(joinBeats([stopped, idle])).toBe(idle);
  expect(joinBeats([stopped, stopped]).state).toBe("stopped");
});

test("a node has followed what all of its processes have", () => {
  const ahead = beat({ ...followed(7, "paused") });
  const behind = beat({ ...followed(6, "working") });
  expect(joinBeats([ahead, behind]).followed).toMatchObject({ revision: 6, isApplied: true });
  expect(joinBeats([ahead, beat({})]).followed).toBeUndefined();
  const idle = beat({ state: "idle", ...followed(7, "nothing works here") });
  expect(joinBeats([idle, ahead]).followed).toMatchObject({ revision: 7, what: "paused" });
  const failed = beat({ ...followed(7, "no such kind", false) });
  expect(joinBeats([ahead, failed, idle]).followed).toMatchObject({
    isApplied: false,
    what: "no such kind",
  });
});

test("peers are those of the process that is in touch, whichever it is", () => {
  const peer = (node: string, lastHeardMs: number): PeerSeen => ({
    node,
    session: "s",
    address: "10.0.0.1:9999",
    how: "mdns",
    lastHeardMs,
    rttMs: undefined,
    vector: new Map(),
    beat: undefined,
  });
  const view = (more: Partial<NodeView>): NodeView => ({
    node: "n",
    pid: 1,
    atMs: 5,
    beat: sampleBeat,
    wanted: { revision: 0, scopes: {} },
    peers: [],
    ...more,
  });
  const alone = view({ wanted: { revision: 2, scopes: {} } });
  const touching = view({ peers: [peer("a", 1), peer("b", 2)], atMs: 9 });
  const before = view({ peers: [peer("a", 4)] });
  const gossip = { packetsIn: 1, packetsOut: 2, droppedByReason: {} };
  expect(joinViews([alone, { ...touching, gossip }])).toMatchObject({ gossip });
  const joined = joinViews([alone, touching, before])!;
  expect(joined.peers.map(({ node, lastHeardMs }) => [node, lastHeardMs])).toEqual([
    ["a", 4],
    ["b", 2],
  ]);
  expect([joined.wanted.revision, joined.atMs]).toEqual([2, 9]);
  expect(joinViews([])).toBeUndefined();
});
