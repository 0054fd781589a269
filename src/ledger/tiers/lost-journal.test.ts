import { describe, expect, test } from "vitest";
import { createTestFleet } from "../testing/test-fleet.ts";
import { openTestLedger, valuesOf } from "../testing/test-ledger.ts";

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
