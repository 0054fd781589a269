import { expect, test } from "vitest";
import type { NodeRole } from "../../node/index.ts";
import type { WorkersView } from "../work/open-work.ts";
import { bucketPart, dataPart, gossipPart, queuePart, workersPart } from "./parts.ts";

const owner: NodeRole = { kind: "owner" };
const client: NodeRole = { kind: "client", owner: 7 };

test("data: owner, client, and an owner that has taken over", () => {
  expect(dataPart("/d", owner, undefined).text).toBe("/d (owner)");
  expect(dataPart("/d", client, undefined)).toMatchObject({
    state: "client",
    text: "/d (client: process 7 owns it; takes over when that one exits)",
  });
  expect(dataPart("/d", owner, client)).toMatchObject({
    state: "owner",
    text: "/d (owner, because process 7 has exited)",
  });
});

test("no password is shown", () => {
  expect(queuePart("postgres://u:secret@db/f").text).toBe("postgres://u:***@db/f");
  const given = { address: "postgres://u:secret@db/f", isCharged: false, role: owner };
  expect(bucketPart({ ...given, isReached: true })?.text).not.toContain("secret");
});

test("bucket: how often it is synced, and whether it answers", () => {
  const given = { address: "s3://fleet", isCharged: true, role: owner };
  expect(bucketPart({ ...given, isReached: undefined })).toBeUndefined();
  expect(bucketPart({ ...given, isReached: true })?.text).toBe(
    "s3://fleet, synced every 10 s, when idle every 7 minutes",
  );
  expect(bucketPart({ ...given, isReached: false })).toMatchObject({ state: "failing" });
  expect(bucketPart({ ...given, role: client, isReached: undefined })).toMatchObject({
    state: "elsewhere",
    text: "s3://fleet, synced by process 7",
  });
  expect(bucketPart({ ...given, address: undefined, isReached: undefined })?.state).toBe("off");
});

test("gossip: where it listens, which key it has, or why it is off", () => {
  const settings = { on: "yes", cluster: "c", port: 9999, mdns: "yes" } as const;
  const all = { keys: undefined, peers: undefined, host: undefined };
  const given = { gossip: { ...settings, ...all }, hasBucket: true, role: owner };
  expect(gossipPart({ ...given, address: undefined })).toBeUndefined();
  expect(gossipPart({ ...given, address: "127.0.0.1:9999" })?.text).toBe(
    "udp 127.0.0.1:9999, own key: no other machine can join",
  );
  const keys = { reveal: async () => "k" } as never;
  const shared = { ...given, gossip: { ...given.gossip, keys }, address: "0.0.0.0:9999" };
  expect(gossipPart(shared)?.text).toBe("udp 0.0.0.0:9999, key from gossip.keys");
  expect(gossipPart({ ...shared, role: client })?.text).toBe("run by process 7");
  expect(gossipPart({ ...given, hasBucket: false, address: undefined })?.text).toBe(
    "off: none of gossip.keys, gossip.peers and bucket.url is set",
  );
  const off = { ...shared, gossip: { ...shared.gossip, on: "no" as const } };
  expect(gossipPart(off)?.text).toBe("off: gossip.on is false");
});

const slot = (kinds: readonly string[] | undefined, concurrency: number | [number, number]) => ({
  name: "all-1",
  state: "running" as const,
  pid: 1,
  restarts: 0,
  concurrency:
    typeof concurrency === "number" ? concurrency : { min: concurrency[0], max: concurrency[1] },
  view: kinds && ({ kinds, concurrency: 3 } as never),
});

test("workers: processes, tasks at once as planned, and kinds", () => {
  const working = (...slots: WorkersView["slots"]) =>
    workersPart({ slots, state: "working" })?.text;
  expect(working()).toBeUndefined();
  expect(working(slot(["a", "b"], 10), slot(undefined, 10))).toBeUndefined();
  expect(working(slot(["a", "b"], 1))).toBe("1 process, 1 task at once: a b");
  expect(working(slot(["a", "b"], 10), slot(["b", "c"], [5, 20]))).toBe(
    "2 processes, 15 to 30 tasks at once: a b c",
  );
  expect(workersPart({ slots: [], state: "paused" })).toEqual({
    part: "workers",
    state: "waiting",
    text: "none: this node is paused; `forager fleet set NODE resume` starts them",
  });
});
