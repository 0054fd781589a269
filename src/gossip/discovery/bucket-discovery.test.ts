import { expect, test } from "vitest";
import { silentLogger, type Logger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { createMeter, type Bucket } from "../../bucket/index.ts";
import { AppError } from "../../base/app-error.ts";
import { createBucketDiscovery } from "./bucket-discovery.ts";
import type { FoundPeer } from "../gossip.ts";
import { reachOf } from "./reach.ts";

const own = "0000000000000";
const node = (at: number) => `abcdefghj${String(at).padStart(4, "0")}`;

test("addresses in heads are found; what cannot be one, and our own, are not", async () => {
  const { bucket, reported, clock, open } = setUp();
  await writeHead(bucket, own, ["10.0.0.1:9999"]);
  await writeHead(bucket, node(1), ["10.0.0.7:9999", "127.0.0.1:9999", "../etc", 7]);
  await writeHead(bucket, node(2), "10.0.0.8:9999");
  await writeHead(bucket, node(3), undefined);
  await bucket.put(`ledger/heads/${node(4)}.json`, Buffer.from("{"));
  await bucket.put("ledger/heads/..%2fx.json", Buffer.from("{}"));
  await using _discovery = open();
  await clock.advance(0);
  expect(reported).toEqual([[{ node: node(1), address: "10.0.0.7:9999" }]]);
});

test("alone it looks once a minute at most, and reads only what has changed", async () => {
  const { bucket, reported, clock, open, requests } = setUp();
  for (let at = 0; at < 5; at++) await writeHead(bucket, node(at), [`10.0.0.${at + 1}:9999`]);
  await using _discovery = open();
  await clock.advance(0);
  expect(requests()).toEqual({ list: 1, get: 5 });
  await clock.advance(59_999);
  expect(requests().list).toBe(1);
  await writeHead(bucket, node(3), ["10.0.0.99:9999"]);
  await clock.advance(15_001);
  expect(requests()).toEqual({ list: 2, get: 6 });
  expect(reported.at(-1)).toHaveLength(5);
  expect(reported.at(-1)).toContainEqual({ node: node(3), address: "10.0.0.99:9999" });
  await clock.advance(3_600_000);
  expect(requests().list).toBeLessThanOrEqual(62);
  expect(requests().list).toBeGreaterThan(45);
});

test("among others it looks less and less: a month costs less than five cents", async () => {
  const { bucket, clock, open, requests, dollars } = setUp({ isAlone: () => false });
  const heads = () =>
    Promise.all(Array.from({ length: 10 }, (_, at) => writeHead(bucket, node(at), [`10.0.0.${at + 1}:1`]))); // prettier-ignore
  await using _discovery = open();
  const dayMs = 86_400_000;
  for (let hour = 0; hour < 48; hour++) {
    await heads(); // all of them live, so all have changed
    await clock.advance(dayMs / 24);
  }
  expect(requests().list).toBeGreaterThan(60);
  expect((dollars() / 2) * 30).toBeLessThan(0.05);
});

test("who becomes alone looks each minute again", async () => {
  let isAlone = false;
  const { clock, open, requests } = setUp({ isAlone: () => isAlone });
  await using _discovery = open();
  await clock.advance(6 * 3_600_000);
  isAlone = true;
  await clock.advance(2_250_000);
  const before = requests().list;
  await clock.advance(600_000);
  expect(requests().list - before).toBeGreaterThanOrEqual(8);
});

test("a node that is gone for a day is not looked for", async () => {
  const { bucket, reported, clock, open } = setUp();
  await writeHead(bucket, node(1), ["10.0.0.7:9999"]);
  await using _discovery = open();
  await clock.advance(80_000_000);
  expect(reported.at(-1)).toHaveLength(1);
  await clock.advance(10_000_000);
  await writeHead(bucket, node(2), ["10.0.0.8:9999"]);
  await clock.advance(75_000);
  expect(reported.at(-1)).toEqual([{ node: node(2), address: "10.0.0.8:9999" }]);
});

test("a bucket that fails is said once, and asked again later", async () => {
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  let isDown = true;
  const { bucket, reported, clock, open } = setUp({
    log: { ...silentLogger, warn: say, info: say },
    wrap: (inner) => ({
      ...inner,
      list: (prefix, options) => {
        if (isDown) throw new AppError("unavailable", "bucket_down", "no answer");
        return inner.list(prefix, options);
      },
    }),
  });
  await writeHead(bucket, node(1), ["10.0.0.7:9999"]);
  await using _discovery = open();
  await clock.advance(900_000);
  expect(said).toEqual(["peers cannot be looked up in the bucket"]);
  isDown = false;
  await clock.advance(2_000_000);
  expect(reported.length).toBeGreaterThan(0);
  expect(said).toHaveLength(2);
});

test("of more heads than a fleet has, the newest are read", async () => {
  const { bucket, reported, clock, open, requests } = setUp();
  for (let at = 0; at < 300; at++) await writeHead(bucket, node(at), ["10.0.0.7:9999"]);
  await clock.advance(1_000);
  await writeHead(bucket, node(9_999), ["10.0.0.8:9999"]);
  await using _discovery = open();
  await clock.advance(0);
  expect(requests()).toEqual({ list: 1, get: 256 });
  expect(reported[0]).toContainEqual({ node: node(9_999), address: "10.0.0.8:9999" });
});

interface SetUp {
  readonly isAlone?: () => boolean;
  readonly log?: Logger;
  readonly wrap?: (bucket: Bucket) => Bucket;
}

function setUp({ isAlone = () => true, log = silentLogger, wrap = (same) => same }: SetUp = {}) {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const meter = createMeter();
  const reported: (readonly FoundPeer[])[] = [];
  return {
    bucket,
    clock,
    reported,
    open: () =>
      createBucketDiscovery({
        bucket: meter.meter(wrap(bucket), "discovery"),
        node: own,
        reach: () => reachOf({ bound: "0.0.0.0:9999", interfaces: {} }),
        found: (peers) => void reported.push(peers),
        clock,
        random: createSeededRandom(1),
        log,
        isAlone,
      }),
    requests: () => {
      const { list, get } = meter.usage();
      return { list: list.requests, get: get.requests };
    },
    dollars: () => Object.values(meter.usage()).reduce((sum, one) => sum + one.dollars, 0),
  };
}

let written = 0;

async function writeHead(bucket: Bucket, id: string, addresses: unknown): Promise<void> {
  const session = "0".repeat(26);
  const nonce = String(written++);
  const head = { format: 1, node: id, label: "x", session, nonce, stamp: "", sessions: [] };
  await bucket.put(`ledger/heads/${id}.json`, Buffer.from(JSON.stringify({ ...head, addresses })));
}
