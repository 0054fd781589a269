import { describe, expect, test } from "vitest";
import { AppError } from "../../../base/app-error.ts";
import { silentLogger } from "../../../base/log/logger.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import { createMeter, type Bucket } from "../../../bucket/index.ts";
import { createTestFleet } from "../../testing/test-fleet.ts";
import { openTestLedger } from "../../testing/test-ledger.ts";
import { createAutoHub, type AutoHubOptions } from "./auto-hub.ts";
import { missingHubRights } from "./hub-rights.ts";
import { checkpointTarget, manifestKey } from "../keys.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const forbidden = async () => {
  throw new AppError("invalid", "bucket_forbidden", "no right to do this: grant it");
};

let seeds = 900;

/** A fleet in virtual time, and nodes of it that may be hubs. */
function createHubFleet() {
  const fleet = createTestFleet();
  const { clock, objects } = fleet;
  const meter = createMeter();
  const pass = async (forMs: number) => {
    for (let passedMs = 0; passedMs < forMs; passedMs += minuteMs / 4) {
      await clock.advance(minuteMs / 4);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  const join = async (
    name: string,
    { mode = "auto", change = {} }: { mode?: "auto" | "always"; change?: Partial<Bucket> } = {},
  ) => {
    const ledger = await openTestLedger({ clock, label: name });
    const store = { ...createMemoryBucket({ clock, objects }), ...change };
    const bucket = meter.meter(store, name);
    const sync = ledger.withBucket(fleet.bucket);
    const worth = async () =>
      (await ledger.log({ from: 0, limit: Infinity })).filter(
        ({ target }) => target !== checkpointTarget,
      ).length;
    const options: AutoHubOptions = {
      mode,
      bucket,
      clock,
      random: createSeededRandom(seeds++),
      log: silentLogger,
      owner: name,
      beyond: worth,
      catchUp: () => sync.sync(),
    };
    const hub = createAutoHub(options);
    await hub.start();
    const requests = () =>
      Object.values(meter.usage(name)).reduce((sum, one) => sum + one.requests, 0);
    return { ledger, sync, hub, requests };
  };
  const checkpoints = () => fleet.keys("ledger/checkpoint/").length;
  return { ...fleet, pass, join, checkpoints };
}

describe("a hub by itself", () => {
  test("some node becomes it soon after the start, and then once a day, not all of them", async () => {
    const { set, pass, join, checkpoints } = createHubFleet();
    const nodes = [await join("a"), await join("b"), await join("c")];
    for (const [at, node] of nodes.entries()) {
      await set(node.ledger, at, `company/${at}`);
      await node.sync.sync();
    }
    for (const node of nodes) await node.sync.sync();
    await pass(5 * minuteMs);
    expect(checkpoints()).toBeGreaterThanOrEqual(1);
    const first = checkpoints();
    for (const node of nodes) await node.sync.sync();
    for (let hour = 1; hour <= 19; hour++) {
      await set(nodes[0]!.ledger, `hour ${hour}`);
      await nodes[0]!.sync.sync();
      await pass(hourMs);
    }
    expect(checkpoints()).toBe(first);
    await pass(2 * hourMs);
    expect(checkpoints()).toBe(first + 1);
    for (const node of nodes) await node.hub.stop();
    expect(nodes.map(({ hub }) => hub.ability().state)).toContain("able");
  });

  test("a fleet with nothing new asks the bucket nothing", async () => {
    const { pass, join } = createHubFleet();
    const node = await join("a");
    await pass(3 * 24 * hourMs);
    expect(node.requests()).toBe(0);
    await node.hub.stop();
  });

  test("with something new, a node that need not act asks a few times a day", async () => {
    const { set, pass, join, checkpoints } = createHubFleet();
    const [hub, other] = [await join("a"), await join("b")];
    await set(hub.ledger, 1);
    await hub.sync.sync();
    await pass(minuteMs);
    expect(checkpoints()).toBe(1);
    await set(other.ledger, 2);
    const before = other.requests();
    await pass(18 * hourMs);
    expect(other.requests() - before).toBeLessThanOrEqual(2);
    for (const node of [hub, other]) await node.hub.stop();
  });

  test("much that is new is folded without waiting for the day to end", async () => {
    const { pass, join, checkpoints } = createHubFleet();
    const { ledger, sync, hub } = await join("a");
    const write = async (from: number) => {
      const changes = Array.from({ length: 10_000 }, (_, at) => ({
        target: `company/${from + at}`,
        field: "f",
        value: at,
      }));
      await ledger.write({ source: "site:https://a.b", changes });
      await sync.sync();
    };
    await write(0);
    await pass(minuteMs);
    expect(checkpoints()).toBe(1);
    await write(10_000);
    await pass(45 * minuteMs);
    expect(checkpoints()).toBe(2);
    await hub.stop();
  });

  test("a node without the rights says so, takes no lease, and another one does the work", async () => {
    const { set, pass, join, checkpoints, objects } = createHubFleet();
    const weak = await join("weak", { change: { delete: forbidden } });
    await set(weak.ledger, 1);
    await weak.sync.sync();
    await pass(minuteMs);
    expect(weak.hub.ability()).toEqual({
      state: "unable",
      why: "this node may not delete ledger/wal/, delete ledger/part/, delete ledger/checkpoint/",
    });
    expect(objects.has("lease/ledger-hub.json")).toBe(false);
    const before = weak.requests();
    await pass(20 * hourMs);
    expect(weak.requests() - before).toBe(0);
    const strong = await join("strong");
    await strong.sync.sync();
    await pass(minuteMs);
    expect(checkpoints()).toBe(1);
    for (const node of [weak, strong]) await node.hub.stop();
  });

  test("always: within minutes after each write, whatever a probe would say", async () => {
    const { set, pass, join, keys } = createHubFleet();
    const { ledger, sync, hub } = await join("a", { mode: "always" });
    for (const round of [1, 2, 3]) {
      await set(ledger, round);
      await sync.sync();
      await pass(3 * minuteMs);
      expect(keys("ledger/checkpoint/").sort().at(-1)).toBe(manifestKey(round));
    }
    await hub.stop();
  });

  test("a hub that was started by hand is left alone", async () => {
    const { set, pass, join, checkpoints, lease } = createHubFleet();
    await lease.acquire();
    const { ledger, sync, hub, requests } = await join("a");
    await set(ledger, 1);
    await sync.sync();
    for (let minute = 0; minute < 50; minute++) {
      await pass(minuteMs / 4);
      await lease.renew();
    }
    expect(checkpoints()).toBe(0);
    expect(requests()).toBeLessThanOrEqual(2);
    await hub.stop();
  });
});

test("the probe of rights changes nothing and names each right that is missing", async () => {
  const { clock, objects } = createTestFleet();
  const bucket = createMemoryBucket({ clock, objects });
  expect(await missingHubRights(bucket)).toEqual([]);
  expect([...objects]).toEqual([]);
  const refusing = (part: string): Bucket => ({
    ...bucket,
    putIfMatch: (key, body, etag) =>
      key.startsWith(part) ? forbidden() : bucket.putIfMatch(key, body, etag),
    list: (prefix, more) => (prefix.startsWith(part) ? forbidden() : bucket.list(prefix, more)),
  });
  expect(await missingHubRights(refusing("lease/"))).toEqual(["write lease/"]);
  expect(await missingHubRights(refusing("ledger/part/"))).toEqual([
    "list ledger/part/",
    "write ledger/part/",
  ]);
});

test("a node that is stopped in the middle of it ends soon, and gives the role back", async () => {
  const { clock, objects, bucket } = createTestFleet();
  const ledger = await openTestLedger({ clock, label: "a" });
  const source = "site:https://a.b";
  for (let at = 0; at < 20; at++) {
    await ledger.write({ source, changes: [{ target: `company/${at}`, field: "f", value: at }] });
    await ledger.withBucket(bucket).sync();
  }
  let reads = 0;
  let stop: Promise<void> | undefined;
  const hub = createAutoHub({
    mode: "always",
    clock,
    random: createSeededRandom(7),
    log: silentLogger,
    owner: "a",
    beyond: async () => 20,
    catchUp: async () => {},
    bucket: {
      ...bucket,
      get(key, more) {
        if (key.startsWith("ledger/wal/") && ++reads === 3) stop = hub.stop();
        return bucket.get(key, more);
      },
    },
  });
  await hub.start();
  for (let second = 0; second < 60 && !stop; second++) await clock.advance(1_000);
  await stop;
  expect(reads).toBe(3);
  expect([...objects.keys()].filter((key) => key.startsWith("ledger/checkpoint/"))).toEqual([]);
  const lease = Buffer.from(objects.get("lease/ledger-hub.json")!.body).toString();
  expect(JSON.parse(lease)).toMatchObject({ state: "released" });
});
