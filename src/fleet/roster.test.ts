import { expect, test } from "vitest";
import type { HeadSeen } from "../ledger/index.ts";
import type { NodeHeartbeat } from "./heartbeat.ts";
import type { NodeView } from "./node-view.ts";
import { findNode, isPresent, rosterOf } from "./roster.ts";
import { sampleHeartbeat } from "./testing/sample-heartbeat.ts";

const nowMs = Date.UTC(2026, 0, 2);
const ids = ["0000000000001", "0000000000002", "0000000000003"] as const;
const heartbeatOf = (label: string, more: Partial<NodeHeartbeat> = {}): NodeHeartbeat => ({
  ...sampleHeartbeat,
  atMs: nowMs,
  label,
  ...more,
});
const headOf = (
  node: string,
  label: string,
  ageMs: number,
  more: Partial<NodeHeartbeat> = {},
): HeadSeen => {
  const beat = { ...heartbeatOf(label, { atMs: nowMs - ageMs, ...more }) };
  const head = { node, label, session: "s", nonce: "n", stamp: "", sessions: [], beat };
  return { head: { ...head, addresses: ["10.0.0.2:9999"] }, ageMs };
};
const view: NodeView = {
  node: ids[0],
  pid: 1,
  atMs: nowMs,
  heartbeat: heartbeatOf("pi-1"),
  desired: { revision: 0, scopes: {} },
  gossip: { packetsIn: 7, packetsOut: 5, droppedByReason: { stranger: 1 } },
  peers: [
    {
      node: ids[1],
      session: "t",
      address: "10.0.0.9:9999",
      how: "mdns",
      lastHeardMs: nowMs - 200,
      rttMs: 1.5,
      vector: { "n/s": 4 },
      heartbeat: heartbeatOf("pi-2", { load1: 9 }),
    },
  ],
};
const self = { node: ids[0], label: "pi-1" };

test("all that bucket, peers and this machine know: who, where, how found, last seen; the newest counts", () => {
  const heads = [headOf(ids[1], "pi-2", 50_000), headOf(ids[2], "pi-3", 400_000)];
  const nodes = rosterOf({ nowMs, self, heads, view });
  expect(nodes.map(({ label, how, lastSeenMs }) => [label, how, nowMs - lastSeenMs!])).toEqual([
    ["pi-1", "self", 0],
    ["pi-2", "mdns", 200],
    ["pi-3", "head", 400_000],
  ]);
  expect(nodes[1]).toMatchObject({ session: "t", addresses: ["10.0.0.9:9999"], rttMs: 1.5 });
  expect(nodes[1]!.heartbeat!.load1).toBe(9);
  expect(nodes.map((node) => isPresent(node, nowMs))).toEqual([true, true, false]);
});

test("a name out of a head moves no cursor", () => {
  const { head, ageMs } = headOf(ids[1], "pi-2", 1_000);
  const { beat: _none, ...bare } = head;
  const heads = [{ head: { ...bare, label: "pi\u001b[2J-2\n" }, ageMs }];
  expect(rosterOf({ nowMs, self, heads, view: undefined })[1]!.label).toBe("pi [2J-2 ");
});

test("alone, with nothing running, there is this node, which was never seen", () => {
  const [own, ...rest] = rosterOf({ nowMs, self, heads: [], view: undefined });
  expect(rest).toEqual([]);
  expect(own).toMatchObject({ label: "pi-1", how: "self", lastSeenMs: undefined });
});

test("this node has the name of its settings, though it was stored under the name of its machine", () => {
  const { head, ageMs } = headOf(ids[0], "vm", 1_000);
  const { beat: _none, ...bare } = head;
  const [own] = rosterOf({ nowMs, self, heads: [{ head: bare, ageMs }], view: undefined });
  expect(own!.label).toBe("pi-1");
});

test("a node that reported its stop is not present, however recent its last heartbeat is", () => {
  const heads = [headOf(ids[1], "pi-2", 1_000, { state: "stopped" })];
  const [, other] = rosterOf({ nowMs, self, heads, view: undefined });
  expect(isPresent(other!, nowMs)).toBe(false);
});

test("a node is found by id, by the beginning of it or by name; otherwise the error names the known nodes", () => {
  const heads = [headOf(ids[1], "pi-2", 0), headOf(ids[2], "pi-2", 0)];
  const nodes = rosterOf({ nowMs, self, heads, view: undefined });
  expect(findNode(nodes, "pi-1").node).toBe(ids[0]);
  expect(findNode(nodes, ids[2]).node).toBe(ids[2]);
  expect(() => findNode(nodes, "pi-2")).toThrow("node name 'pi-2' is ambiguous; use an id");
  expect(() => findNode(nodes, "000")).toThrow("no node '000' is known here: a node is known once");
  expect(() => findNode(nodes, "pi1")).toThrow("did you mean pi-1?");
  expect(() => findNode(nodes, "po-1")).toThrow("did you mean pi-1?");
});

test("a node that never worked is not taken for its neighbour", () => {
  const nodes = rosterOf({ nowMs, self, heads: [], view: undefined });
  expect(() => findNode(nodes, "pi-2")).toThrow(
    "no node 'pi-2' is known here: a node is known once `forager up` or `forager work` has run on it; " +
      "known: pi-1 (0000000000001)",
  );
});
