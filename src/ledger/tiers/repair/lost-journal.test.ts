import { describe, expect, test } from "vitest";
import { createTestFleet } from "../../testing/test-fleet.ts";
import { openTestLedger, valuesOf } from "../../testing/test-ledger.ts";

const dayMs = 86_400_000;

/** A node that wrote on two days, in one session, and published all of it. */
async function createNode() {
  const fleet = createTestFleet();
  const { clock, set, sync } = fleet;
  const files = new Map<string, Uint8Array>();
  const ledger = await openTestLedger({ clock, files, label: "node" });
  const reader = await openTestLedger({ clock, label: "reader" });
  for (const day of [1, 2]) {
    await set(ledger, day, `company/${day}`);
    await sync(ledger);
    await set(ledger, `${day} again`, `company/${day}`);
    await sync(ledger);
    if (day === 1) await clock.advance(dayMs);
  }
  await sync(reader);
  const journals = [...files.keys()].filter((name) => name.startsWith("wal/")).sort();
  return { ...fleet, files, ledger, reader, journals };
}

describe("a journal file that was moved away", () => {
  for (const [what, which] of [
    ["all of it", [0, 1]],
    ["the first of two days", [0]],
    ["the second of two days", [1]],
  ] as const) {
    test(`${what}: the next sync fetches what was published, with no checkpoint at all`, async () => {
      const { clock, files, reader, journals, sync, set } = await createNode();
      expect(journals).toHaveLength(2);
      for (const index of which) files.delete(journals[index]!);
      await using next = await openTestLedger({ clock, files, label: "node" });
      expect(next.status().lost).toBeGreaterThan(0);
      await expect(set(next, "too early")).rejects.toMatchObject({
        kind: "unavailable",
        code: "ledger_history_missing",
      });
      expect(await sync(next)).toMatchObject({ published: 0, faults: [] });
      expect(next.status()).toMatchObject({ lost: 0, stranded: 0, unpublished: 0 });
      expect(await next.digest()).toBe(await reader.digest());
      expect(await valuesOf(next, "company/1")).toEqual({ f: "1 again" });

      await set(next, "later", "company/2");
      expect((await sync(next)).moved).toBe(0);
      await sync(reader);
      expect(await next.digest()).toBe(await reader.digest());
      await using last = await openTestLedger({ clock, files, label: "node" });
      expect(await last.digest()).toBe(await reader.digest());
    });
  }

  test("what was not yet published of a later day is not lost with an earlier one", async () => {
    const { clock, files, ledger, reader, journals, sync, set } = await createNode();
    await set(ledger, "not published", "company/3");
    files.delete(journals[0]!);
    await using next = await openTestLedger({ clock, files, label: "node" });
    expect(next.status().stranded).toBe(3);
    await sync(next);
    expect(await valuesOf(next, "company/3")).toEqual({ f: "not published" });
    await sync(reader);
    expect(await next.digest()).toBe(await reader.digest());
  });

  test("a clone does not take what the other disk wrote for its own", async () => {
    const { clock, files, ledger, sync, set } = await createNode();
    const copy = structuredClone(files);
    await set(ledger, "of the first", "company/4");
    await sync(ledger);
    await using clone = await openTestLedger({ clock, files: copy, label: "clone" });
    await sync(clone);
    expect(await valuesOf(clone, "company/4")).toEqual({});
    await set(clone, "of the clone", "company/5");
    expect((await sync(clone)).moved).toBe(1);
    expect(await valuesOf(clone, "company/4")).toEqual({ f: "of the first" });
  });
});

/** Changes one byte of the value of a datagram. */
function damage(files: Map<string, Uint8Array>, name: string, text: string) {
  const bytes = files.get(name)!.slice();
  const at = Buffer.from(bytes).indexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes[at + text.length - 1]! ^= 1;
  files.set(name, bytes);
}
const setAside = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files.keys()].filter((name) => name.includes(".damaged-"));

describe("a journal file in which a byte has changed", () => {
  for (const hasCheckpoint of [false, true]) {
    test(`${hasCheckpoint ? "with" : "without"} a checkpoint: the node fetches its own segments, and has all again`, async () => {
      const at = await createNode();
      const { clock, files, ledger, reader, journals, sync, set } = at;
      if (hasCheckpoint) {
        await at.fold();
        await sync(ledger);
        for (const value of ["3 again", "4 again"]) await set(ledger, value, "company/3");
        await sync(ledger);
        await sync(reader);
      }
      await ledger.close();
      const name = hasCheckpoint
        ? [...files.keys()].find((one) => one.startsWith("wal/"))!
        : journals[0]!;
      damage(files, name, hasCheckpoint ? "3 again" : "company/1");
      await using next = await openTestLedger({ clock, files, label: "node" });
      expect(setAside(files)).toHaveLength(1);
      await expect(set(next, "too early")).rejects.toMatchObject({
        code: "ledger_history_missing",
      });
      expect(await sync(next)).toMatchObject({ moved: 0, faults: [] });
      expect(next.status()).toMatchObject({ lost: 0, stranded: 0 });
      await set(next, "later", "company/2");
      await sync(next);
      await sync(reader);
      expect(await next.digest()).toBe(await reader.digest());
      await using last = await openTestLedger({ clock, files, label: "node" });
      expect(last.status()).toMatchObject({ lost: 0, stranded: 0, cuts: [] });
      expect(await last.digest()).toBe(await reader.digest());
      await last.forget({ target: "company/1", source: "hand:anna" });
      expect(setAside(files)).toEqual([]);
    });
  }

  test("what was never published is gone; what stands behind it keeps its stamps and is published", async () => {
    const { clock, files, ledger, reader, journals, sync, set } = await createNode();
    for (const number of [1, 2, 3]) await set(ledger, `kept ${number}`, `company/new${number}`);
    const before = (await ledger.log({ from: 0, limit: Infinity })).slice(-1);
    await ledger.close();
    damage(files, journals[1]!, "kept 2");
    await using next = await openTestLedger({ clock, files, label: "node" });
    await expect(set(next, "too early")).rejects.toMatchObject({ code: "ledger_history_missing" });
    expect(await sync(next)).toMatchObject({ moved: 1, published: 2, faults: [] });
    await sync(reader);
    expect(await reader.digest()).toBe(await next.digest());
    expect(await valuesOf(reader, "company/new1")).toEqual({ f: "kept 1" });
    expect(await valuesOf(reader, "company/new2")).toEqual({});
    expect(await valuesOf(reader, "company/new3")).toEqual({ f: "kept 3" });
    expect((await next.log({ from: 0, limit: Infinity })).at(-1)).toMatchObject({
      stamp: before[0]!.stamp,
      value: '"kept 3"',
    });
    await set(next, "later");
    await using last = await openTestLedger({ clock, files, label: "node" });
    expect(last.status()).toMatchObject({ lost: 0, stranded: 0 });
  });

  test("a push before that sends nothing behind the gap, so readers continue", async () => {
    const { clock, files, bucket, ledger, reader, journals, sync, set } = await createNode();
    for (const number of [1, 2, 3]) await set(ledger, `kept ${number}`, `company/new${number}`);
    await ledger.close();
    damage(files, journals[1]!, "kept 2");
    await using next = await openTestLedger({ clock, files, label: "node" });
    expect(await next.withBucket(bucket).push()).toBe(1);
    expect(await sync(reader)).toMatchObject({ pulled: 1, faults: [] });
    expect(await valuesOf(reader, "company/new1")).toEqual({ f: "kept 1" });
    expect(await sync(next)).toMatchObject({ moved: 1, published: 1 });
    expect(await sync(reader)).toMatchObject({ faults: [] });
    expect(await reader.digest()).toBe(await next.digest());
  });
});

describe("what no bucket has", () => {
  test("without a bucket a lost journal is noticed, and a person can continue without it", async () => {
    const files = new Map<string, Uint8Array>();
    const first = await openTestLedger({ files });
    const write = (ledger: typeof first, value: string) =>
      ledger.write({ source: "hand:anna", changes: [{ target: "company/a", field: "f", value }] });
    await write(first, "1");
    await write(first, "2");
    await first.close();
    files.delete([...files.keys()].find((name) => name.startsWith("wal/"))!);
    const next = await openTestLedger({ files });
    expect(next.status().lost).toBe(2);
    await expect(write(next, "3")).rejects.toThrow(/--accept-loss/);
    await next.close();
    await using third = await openTestLedger({ files });
    expect(await third.acceptLoss()).toEqual({ lost: 2, moved: 0 });
    await write(third, "3");
    expect(third.status().lost).toBe(0);
    await using fourth = await openTestLedger({ files });
    expect(fourth.status().lost).toBe(0);
    expect(await valuesOf(fourth, "company/a")).toEqual({ f: "3" });
  });

  test("what the bucket has lost too stays missed until a person gives it up", async () => {
    const { clock, files, ledger, reader, journals, sync, set, keys, objects } = await createNode();
    await ledger.close();
    files.delete(journals[0]!);
    objects.delete(keys("ledger/wal/").sort()[0]!);
    await using next = await openTestLedger({ clock, files, label: "node" });
    const { faults } = await sync(next);
    expect(faults.join()).toMatch(/this node has lost/);
    await expect(set(next, "too early")).rejects.toMatchObject({ code: "ledger_history_missing" });
    expect(await next.acceptLoss()).toMatchObject({ moved: 2 });
    await set(next, "later", "company/4");
    await sync(next);
    await sync(reader);
    expect(await valuesOf(reader, "company/4")).toEqual({ f: "later" });
    expect(await valuesOf(next, "company/2")).toEqual({ f: "2 again" });
  });

  test("another bucket changes nothing", async () => {
    const { clock, files, journals, ledger } = await createNode();
    await ledger.close();
    for (const name of journals) files.delete(name);
    await using next = await openTestLedger({ clock, files, label: "node" });
    const other = createTestFleet();
    const { faults } = await next.withBucket(other.bucket).sync();
    expect(faults.join()).toMatch(/does not know this node/);
    expect(next.status().lost).toBe(4);
  });
});

test("a checkpoint that is missing is fetched again, and nothing is written before", async () => {
  const { clock, files, ledger, reader, sync, set, fold } = await createNode();
  await fold();
  await sync(ledger);
  await sync(reader);
  await ledger.close();
  expect([...files.keys()].filter((name) => name.startsWith("wal/"))).toEqual([]);
  files.delete("ledger/base.json");
  await using next = await openTestLedger({ clock, files, label: "node" });
  expect(next.status()).toMatchObject({ checkpoint: 0, lostCheckpoint: 1 });
  await expect(set(next, "too early")).rejects.toMatchObject({ code: "ledger_history_missing" });
  expect(await sync(next)).toMatchObject({ adopted: 1, faults: [] });
  expect(await next.digest()).toBe(await reader.digest());
  await set(next, "later");
});
