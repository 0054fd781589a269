import fc from "fast-check";
import { expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import {
  heartbeatBytesMax,
  decodeHeartbeat,
  encodeHeartbeat,
  headHeartbeat,
  parseHeartbeat,
  type NodeHeartbeat,
} from "./heartbeat.ts";
import { createHeartbeatSender } from "./heartbeat-sender.ts";

const heartbeat: NodeHeartbeat = {
  atMs: Date.UTC(2026, 0, 1),
  label: "pi-3",
  version: "0.1.0",
  state: "working",
  config: "a1b2c3d4e5f6",
  load1: 0.42,
  memoryBytes: { total: 8e9, free: 5e9 },
  diskBytes: { total: 32e9, free: 20e9 },
  temperatureC: 51.5,
  kinds: { enrich: [4, 2], details: [10, 0] },
  clockOffsetMs: -12,
  peers: 4,
  alerts: ["work of kind enrich is stalled"],
  followed: { revision: 7, atMs: Date.UTC(2026, 0, 1), isApplied: true, what: "enrich=4" },
  knows: { checkpoint: 3, beyond: { "n/s": 12 } },
};

test("B20: load, memory, disk, temperature, workers and in-flight by kind, version, clock offset, peers", () => {
  const { knows: _inHeads, ...said } = heartbeat;
  expect(decodeHeartbeat(encodeHeartbeat(heartbeat))).toEqual(said);
  expect(parseHeartbeat(JSON.parse(JSON.stringify(headHeartbeat(heartbeat))))).toEqual(heartbeat);
});

test("whatever a node has to say fits into a packet, and is a heartbeat", () => {
  const size = "max"; // else generated texts are short, and all would fit
  const words = fc.string({ maxLength: 200, size });
  const wide = fc.record({
    label: fc.string({ maxLength: 100, size }),
    alerts: fc.array(words, { maxLength: 20, size }),
    kinds: fc.dictionary(
      fc.string({ maxLength: 100, size }),
      fc.tuple(fc.nat(), fc.nat()).map((pair) => pair as [number, number]),
      { maxKeys: 30, size },
    ),
    what: fc.string({ maxLength: 300, unit: "binary", size }),
  });
  fc.assert(
    fc.property(wide, ({ what, ...more }) => {
      const followed = { ...heartbeat.followed!, what };
      const bytes = encodeHeartbeat({ ...heartbeat, ...more, followed });
      expect(bytes.byteLength).toBeLessThanOrEqual(heartbeatBytesMax);
      const got = decodeHeartbeat(bytes);
      expect(got).toMatchObject({
        atMs: heartbeat.atMs,
        version: heartbeat.version,
        state: "working",
      });
    }),
  );
});

test("what is not a valid heartbeat is ignored", () => {
  const wrong: readonly unknown[] = [
    null,
    [],
    "x",
    {},
    { ...heartbeat, atMs: "now" },
    { ...heartbeat, state: "on fire" },
    { ...heartbeat, label: "x".repeat(5_000) },
    { ...heartbeat, kinds: { enrich: [-1, 2] } },
    { ...heartbeat, alerts: Array.from({ length: 1_000 }, () => "x") },
  ];
  for (const value of wrong) expect(parseHeartbeat(value)).toBeUndefined();
  expect(decodeHeartbeat(Buffer.from("{"))).toBeUndefined();
  // A version to come may say more.
  expect(parseHeartbeat({ ...heartbeat, mood: "fine" })).toEqual(heartbeat);
});

test("what another node says moves no cursor and turns no text round", () => {
  const bad = "a\u001b[2J\u0007b\n\u202ec\u2028";
  const said = {
    ...heartbeat,
    label: bad,
    version: bad,
    alerts: [bad],
    kinds: { [bad]: [1, 0] },
    followed: { ...heartbeat.followed, what: bad },
  };
  const got = parseHeartbeat(said)!;
  const texts = [got.label, got.version, ...got.alerts, ...Object.keys(got.kinds)];
  for (const text of [...texts, got.followed!.what]) expect(text).toBe("a [2J b c ");
});

test("a vector beyond all measure stays out of the head", () => {
  const beyond = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`n/${at}`, at]));
  expect(headHeartbeat({ ...heartbeat, knows: { checkpoint: 1, beyond } })).not.toHaveProperty(
    "knows",
  );
});

function createBeating(writeHead: () => Promise<void> = async () => {}) {
  const clock = createTestClock();
  const heads: unknown[] = [];
  const packets: Uint8Array[] = [];
  const heartbeats = createHeartbeatSender({
    read: async () => ({ ...heartbeat, atMs: clock.nowMs() }),
    publish: (bytes) => void packets.push(bytes),
    writeHead: async (said) => {
      await writeHead();
      heads.push(said);
    },
    clock,
    log: silentLogger,
  });
  return { clock, heartbeats, heads, packets };
}

test("once a minute by gossip and in the head, one write each; at once where others wait for it", async () => {
  const { clock, heartbeats, heads, packets } = createBeating();
  await heartbeats.start();
  await clock.advance(5_000); // by then it has workers and peers
  await clock.advance(10 * 60_000);
  expect([heads.length, packets.length]).toEqual([12, 12]);
  await clock.advance(30_000);
  await heartbeats.sendNow();
  expect(heads).toHaveLength(13);
  await clock.advance(59_000);
  expect(heads).toHaveLength(13); // the minute starts again
  await clock.advance(1_000);
  expect(heads).toHaveLength(14);
  await heartbeats.stop();
  expect(heads.at(-1)).toMatchObject({ state: "stopped" });
  await clock.advance(10 * 60_000);
  expect(heads).toHaveLength(15);
});

test("a bucket that cannot be reached does not end it, nor keep it from the peers", async () => {
  let isDown = true;
  const { clock, heartbeats, heads, packets } = createBeating(async () => {
    if (isDown) throw new Error("no answer");
  });
  await heartbeats.start();
  await clock.advance(125_000);
  expect([heads.length, packets.length]).toEqual([0, 4]);
  isDown = false;
  await clock.advance(60_000);
  expect(heads).toHaveLength(1);
  await heartbeats.stop();
});
