import { expect, test } from "vitest";
import { silentLogger } from "../../../base/log/logger.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { createMemoryDisk } from "../../testing/memory-disk.ts";
import type { LedgerDisk } from "../../journal/disk.ts";
import { openLedger } from "../../ledger.ts";
import { createTestFleet } from "../../testing/test-fleet.ts";
import { valuesOf } from "../../testing/test-ledger.ts";
import { partsPrefix } from "../keys.ts";

/** Work that waits at the given step until it is released. */
function createHold() {
  let letGo = () => {};
  let reached = () => {};
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const wait = async () => {
    reached();
    await released;
  };
  return { wait, isReached, letGo: () => letGo() };
}

test("an append is done while a hub folds", async () => {
  const { clock, bucket, set, sync, fold } = createTestFleet();
  const [random, log] = [createSeededRandom(1), silentLogger];
  await using ledger = await openLedger({
    disk: createMemoryDisk(),
    clock,
    random,
    log,
    label: "t",
  });
  for (let at = 0; at < 20; at++) await set(ledger, at, `company/${at}`);
  await sync(ledger);
  const hold = createHold();
  const held: typeof bucket = {
    ...bucket,
    async put(key, body) {
      if (key.startsWith(partsPrefix)) await hold.wait();
      return bucket.put(key, body);
    },
  };
  const folding = fold({ bucket: held });
  await hold.isReached;
  await set(ledger, "meanwhile", "company/7");
  expect(await valuesOf(ledger, "company/7")).toEqual({ f: "meanwhile" });
  hold.letGo();
  expect(await folding).toMatchObject({ datagrams: 20 });
});

test.each([
  ["fetches the parts of a checkpoint", "before"],
  ["goes over to a checkpoint", "after"],
] as const)("an append is done while a node %s, and counts afterwards", async (_, when) => {
  const { clock, set, sync, fold } = createTestFleet();
  const [random, log] = [createSeededRandom(2), silentLogger];
  const disk = createMemoryDisk();
  const hold = createHold();
  let isSwitched = false;
  const held: LedgerDisk = {
    ...disk,
    async read(name) {
      const isStaging = isSwitched && when === "after";
      if (name.startsWith("ledger/base/") && (isStaging || when === "before")) await hold.wait();
      return disk.read(name);
    },
    async replace(name, content) {
      if (name === "ledger/base.json") isSwitched = true;
      return disk.replace(name, content);
    },
  };
  await using ledger = await openLedger({ disk: held, clock, random, log, label: "t" });
  for (let at = 0; at < 20; at++) await set(ledger, at, `company/${at}`);
  await sync(ledger);
  await fold();
  const syncing = sync(ledger);
  await hold.isReached;
  expect(isSwitched).toBe(when === "after");
  await set(ledger, "meanwhile", "company/7");
  await set(ledger, "new", "company/new");
  expect(await valuesOf(ledger, "company/7")).toEqual({ f: "meanwhile" });
  hold.letGo();
  expect(await syncing).toMatchObject({ adopted: 1 });
  expect(await valuesOf(ledger, "company/7")).toEqual({ f: "meanwhile" });
  expect(await valuesOf(ledger, "company/new")).toEqual({ f: "new" });
  expect(await valuesOf(ledger, "company/8")).toEqual({ f: 8 });
});
