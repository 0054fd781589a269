import { describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { bucketOperations, createMeter } from "../../bucket/index.ts";
import { createMemoryDisk } from "../../ledger/testing/memory-disk.ts";
import { openLedger, type Ledger } from "../../ledger/index.ts";
import { keepSynced, syncMsMin } from "./keep-synced.ts";

function createFleet({ isFree = false }: { readonly isFree?: boolean } = {}) {
  const clock = createTestClock();
  const meter = createMeter();
  const store = createMemoryBucket({ clock });
  let seed = 1;
  let isDown = false;
  const node = async (name: string) => {
    const random = createSeededRandom(seed++);
    const log = silentLogger;
    const ledger = await openLedger({ disk: createMemoryDisk(), clock, random, log, label: name });
    const sync = ledger.withBucket(meter.meter(store, name));
    const down = () => Promise.reject(new AppError("unavailable", "down", "down"));
    const synced = keepSynced({
      sync: {
        sync: () => (isDown ? down() : sync.sync()),
        push: () => (isDown ? down() : sync.push()),
      },
      unpublished: () => ledger.status().unpublished,
      isFree,
      clock,
      random,
      log,
    });
    return { ledger, synced };
  };
  const requests = (name: string) =>
    bucketOperations.reduce((sum, one) => sum + meter.usage(name)[one].requests, 0);
  const dollars = (name: string) =>
    bucketOperations.reduce((sum, one) => sum + meter.usage(name)[one].dollars, 0);
  return { clock, node, requests, dollars, setDown: (value: boolean) => (isDown = value) };
}

const set = (ledger: Ledger, value: unknown) =>
  ledger.write({
    source: "site:https://a.b",
    changes: [{ target: "company/a", field: "f", value }],
  });
const datagrams = (ledger: Ledger) =>
  [...ledger.vector().values()].reduce((sum, one) => sum + one, 0);

describe("a ledger that is kept in sync with its bucket", () => {
  test("what one writes another has, by the bucket alone, in less than half a minute", async () => {
    const { clock, node } = createFleet({ isFree: true });
    const [one, other] = [await node("one"), await node("other")];
    await one.synced.start();
    await other.synced.start();
    await clock.advance(3_600_000);
    await set(one.ledger, 1);
    await clock.advance(25_000);
    expect(datagrams(other.ledger)).toBe(1);
    await one.synced.stop();
    await other.synced.stop();
  });

  test("own writes go up every ten seconds at most, and the last ones when it stops", async () => {
    const { clock, node, requests } = createFleet();
    const { ledger, synced } = await node("one");
    await synced.start();
    await clock.advance(syncMsMin * 7); // until it seldom looks for others'
    const before = requests("one");
    for (let second = 0; second < 60; second++) {
      await set(ledger, second);
      await clock.advance(1_000);
    }
    const perPush = 5;
    expect(requests("one") - before).toBeLessThanOrEqual(8 * perPush);
    expect(ledger.status().unpublished).toBeLessThanOrEqual(10);
    await set(ledger, "last");
    await synced.stop();
    expect(ledger.status().unpublished).toBe(0);
  });

  test("A8: at rest it costs cents a month", async () => {
    const { clock, node, dollars } = createFleet();
    const nodes = await Promise.all(["a", "b", "c"].map(node));
    for (const { synced, ledger } of nodes) {
      await set(ledger, 1);
      await synced.start();
    }
    await clock.advance(3_600_000);
    const before = dollars("a");
    await clock.advance(6 * 3_600_000);
    const aMonth = (dollars("a") - before) * 4 * 30;
    expect(aMonth).toBeGreaterThan(0);
    expect(aMonth).toBeLessThan(0.1);
    for (const { synced } of nodes) await synced.stop();
  });

  test("a bucket that is away: it is tried again in its time, and nothing is lost", async () => {
    const { clock, node, setDown } = createFleet();
    const [one, other] = [await node("one"), await node("other")];
    setDown(true);
    await one.synced.start();
    await other.synced.start();
    await set(one.ledger, 1);
    await clock.advance(60_000);
    expect(one.ledger.status().unpublished).toBe(1);
    setDown(false);
    await clock.advance(60_000);
    expect(one.ledger.status().unpublished).toBe(0);
    expect(datagrams(other.ledger)).toBe(1);
    await one.synced.stop();
    await other.synced.stop();
  });
});
