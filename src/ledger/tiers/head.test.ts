import { expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import {
  createMemoryBucket,
  type MemoryObject,
} from "../../bucket/adapters/memory/memory-bucket.ts";
import { createMeter } from "../../bucket/index.ts";
import type { Ledger } from "../ledger.ts";
import { openTestLedger } from "../testing/test-ledger.ts";
import { decodeHead, type SessionHead } from "./head.ts";
import { headKey } from "./keys.ts";

const said = { addresses: ["10.0.0.5:9999"], beat: { load1: 0.5 } };

function createPlace() {
  const clock = createTestClock();
  const objects = new Map<string, MemoryObject>();
  const meter = createMeter();
  const bucket = meter.meter(createMemoryBucket({ clock, objects }), "node");
  const headOf = (ledger: Ledger): SessionHead => {
    const name = headKey(ledger.node());
    return decodeHead(objects.get(name)!.body, name);
  };
  const set = (ledger: Ledger, value: unknown) =>
    ledger.write({
      source: "site:https://a.b",
      changes: [{ target: "company/a", field: "f", value }],
    });
  return { clock, objects, meter, bucket, headOf, set };
}

test("a beat is one write, also of a node that never published; nothing is journalled", async () => {
  const { clock, bucket, meter, headOf } = createPlace();
  const files = new Map<string, Uint8Array>();
  await using ledger = await openTestLedger({ clock, files });
  const sync = ledger.withBucket(bucket);
  await sync.writeHeartbeat(said);
  expect(headOf(ledger)).toMatchObject({ ...said, sessions: [] });
  const first = meter.usage();
  for (let beat = 0; beat < 5; beat++)
    await sync.writeHeartbeat({ ...said, beat: { load1: beat } });
  const { get, putIfMatch, put, putIfAbsent, list } = meter.usage();
  expect(putIfMatch.requests - first.putIfMatch.requests).toBe(5);
  expect([get.requests, put.requests, putIfAbsent.requests, list.requests]).toEqual([
    first.get.requests,
    first.put.requests,
    first.putIfAbsent.requests,
    first.list.requests,
  ]);
  expect(headOf(ledger).beat).toEqual({ load1: 4 });
  expect([...files.keys()].filter((name) => name.startsWith("wal/"))).toEqual([]);
});

test("what was said stays with heads that are written for segments, also by another process", async () => {
  const { clock, bucket, headOf, set } = createPlace();
  const files = new Map<string, Uint8Array>();
  {
    await using ledger = await openTestLedger({ clock, files });
    const sync = ledger.withBucket(bucket);
    await sync.writeHeartbeat(said);
    await set(ledger, 1);
    await sync.push();
    expect(headOf(ledger)).toMatchObject({ ...said, sessions: [{ number: 1 }] });
  }
  await using other = await openTestLedger({ clock, files });
  await set(other, 2);
  await other.withBucket(bucket).push();
  expect(headOf(other)).toMatchObject(said);
});

test("a heartbeat does not reset how far a session is, and the next session is not a clone", async () => {
  const { clock, bucket, headOf, set } = createPlace();
  const files = new Map<string, Uint8Array>();
  let node: string;
  {
    await using ledger = await openTestLedger({ clock, files });
    node = ledger.node();
    await set(ledger, 1);
    await ledger.withBucket(bucket).push();
    await ledger.withBucket(bucket).writeHeartbeat(said);
    expect(headOf(ledger).sessions).toMatchObject([{ number: 1 }]);
  }
  {
    await using silent = await openTestLedger({ clock, files });
    await silent.withBucket(bucket).writeHeartbeat(said); // a life that only beats
  }
  await using next = await openTestLedger({ clock, files });
  await next.withBucket(bucket).writeHeartbeat(said);
  expect(next.node()).toBe(node);
  expect(headOf(next).sessions).toMatchObject([{ number: 1 }]);
});

test("lesson 47: a clone that sends a heartbeat takes another id, and the head of the first is not changed", async () => {
  const { clock, bucket, headOf } = createPlace();
  const files = new Map<string, Uint8Array>();
  await using first = await openTestLedger({ clock, files });
  const copied = new Map(files);
  await first.withBucket(bucket).writeHeartbeat(said);
  const before = headOf(first);
  await using clone = await openTestLedger({ clock, files: copied });
  expect(clone.node()).toBe(first.node());
  await clone.withBucket(bucket).writeHeartbeat({ addresses: ["10.0.0.6:9999"], beat: {} });
  expect(clone.node()).not.toBe(first.node());
  expect(headOf(first)).toEqual(before);
  expect(headOf(clone).addresses).toEqual(["10.0.0.6:9999"]);
});

test("invalid parts of a head are left out, and the rest still counts", async () => {
  const { clock, bucket, objects, headOf } = createPlace();
  await using ledger = await openTestLedger({ clock });
  await ledger.withBucket(bucket).writeHeartbeat(said);
  const name = headKey(ledger.node());
  const found = JSON.parse(Buffer.from(objects.get(name)!.body).toString()) as object;
  const spoil = (more: object) => {
    const body = Buffer.from(JSON.stringify({ ...found, ...more }));
    objects.set(name, { ...objects.get(name)!, body });
    const { addresses, beat } = headOf(ledger);
    return { addresses, beat };
  };
  expect(spoil({ addresses: "10.0.0.5", beat: [1] })).toEqual({});
  expect(spoil({ addresses: [1, "x".repeat(500), "a:1"], beat: null })).toEqual({
    addresses: ["a:1"],
  });
});
