import { describe, expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { createMemoryDisk } from "./testing/memory-disk.ts";
import { openLedger, type Ledger } from "./ledger.ts";
import type { LedgerPosition } from "./position.ts";
import { openTestLedger } from "./testing/test-ledger.ts";
import { compactOnce } from "./tiers/hub/hub.ts";

const source = "site:https://a.b";
const set = (ledger: Ledger, target: string, value: unknown = 1) =>
  ledger.write({ source, changes: [{ target, field: "f", value }] });

/** What is new, and the position as it is read back from where it was stored. */
async function newIn(ledger: Ledger, since: LedgerPosition | undefined) {
  const { position, batches } = await ledger.changedSince(since);
  const targets: string[] = [];
  for await (const batch of batches) targets.push(...batch);
  return {
    targets: targets.sort(),
    position: JSON.parse(JSON.stringify(position)) as LedgerPosition,
  };
}

describe("what changed since a position", () => {
  test("everything at first, then only what is new, whoever wrote it", async () => {
    await using ledger = await openTestLedger();
    await set(ledger, "company/a");
    await set(ledger, "company/b");
    const first = await newIn(ledger, undefined);
    expect(first.targets).toEqual(["company/a", "company/b"]);
    expect((await newIn(ledger, first.position)).targets).toEqual([]);
    await set(ledger, "company/b", 2);
    await set(ledger, "company/b", 3);
    expect((await newIn(ledger, first.position)).targets).toEqual(["company/b"]);
  });

  test("over a checkpoint: what came with it is new, what was seen before is not", async () => {
    const clock = createTestClock();
    const bucket = createMemoryBucket({ clock });
    await using here = await openTestLedger({ clock });
    await using there = await openTestLedger({ clock });
    await set(here, "company/a");
    await set(here, "company/b");
    const { position } = await newIn(here, undefined);
    await set(there, "company/b", 2);
    await set(there, "company/c");
    for (const ledger of [here, there]) await ledger.withBucket(bucket).sync();
    const random = createSeededRandom(3);
    const done = compactOnce({ bucket, clock, random, log: silentLogger, owner: "hub" });
    let isDone = false;
    done.finally(() => void (isDone = true)).catch(() => {});
    while (!isDone) await clock.advance(1_000);
    await here.withBucket(bucket).sync();
    expect(here.status()).toMatchObject({ checkpoint: 1, datagramsSinceCheckpoint: 0 });
    const next = await newIn(here, position);
    expect(next.targets).toEqual(["company/b", "company/c"]);
    expect((await newIn(here, next.position)).targets).toEqual([]);
    expect((await newIn(here, undefined)).targets).toEqual(["company/a", "company/b", "company/c"]);
  });

  test("a write that fails is in no position: its number goes to another", async () => {
    const files = new Map<string, Uint8Array>();
    const disk = createMemoryDisk({ files });
    let isFull = false;
    const full = {
      ...disk,
      append: (name: string, bytes: Uint8Array) =>
        isFull ? Promise.reject(new Error("full")) : disk.append(name, bytes),
    };
    const [clock, random, log] = [createTestClock(), createSeededRandom(9), silentLogger];
    await using ledger = await openLedger({ disk: full, clock, random, log, label: "test" });
    await set(ledger, "company/a");
    isFull = true;
    const failing = set(ledger, "company/b");
    // Until it is known, and not yet on the disk.
    const isKnown = () => [...ledger.vector().values()].some((number) => number === 2);
    for (let turn = 0; turn < 1_000 && !isKnown(); turn++) await Promise.resolve();
    expect(isKnown()).toBe(true);
    const { position } = await ledger.changedSince(undefined);
    await expect(failing).rejects.toThrow("full");
    isFull = false;
    await set(ledger, "company/c");
    expect((await newIn(ledger, position)).targets).toEqual(["company/c"]);
  });

  test("who says what it had seen is taken at its word; what names no write is refused", async () => {
    await using ledger = await openTestLedger();
    await set(ledger, "company/a", 1);
    const [first] = (await ledger.read("company/a")).fields;
    await set(ledger, "company/a", 2);
    const seen = `${first!.stamp}/${first!.dot}`;
    const changes = [{ target: "company/a", field: "f", value: 3, seen }];
    const { datagrams } = await ledger.write({ source: "hand:anna", changes });
    expect(datagrams).toMatchObject([{ causality: seen }]);
    for (const wrong of ["x", `${seen}/1`, seen.slice(0, -1), `${first!.stamp}/../x/1`]) {
      const bad = [{ target: "company/a", field: "f", value: 4, seen: wrong }];
      await expect(ledger.write({ source, changes: bad })).rejects.toMatchObject({
        code: "ledger_reference",
      });
    }
  });
});
