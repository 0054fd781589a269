import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { valuesOf } from "../../src/ledger/testing/test-ledger.ts";
import {
  mountSmallDisk,
  type SmallDisk,
} from "../../src/queue/adapters/sqlite/testing/small-disk.ts";
import { openTestRecords } from "../../src/records/testing/test-records.ts";

const target = "company/acme.com";
const file = "companies/acme/_index.md";

/** Only root can mount one. */
function diskOr(): SmallDisk | undefined {
  const disk = mountSmallDisk(1);
  if (!disk) expect(process.getuid?.()).not.toBe(0);
  return disk;
}

const fill = (disk: SmallDisk) => {
  const filler = join(disk.path, "filler");
  for (let size = 600_000; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(filler, "x".repeat(size), { flag: "a" });
    } catch {
      // full for pieces of this size
    }
  }
  return filler;
};

describe("a disk that takes nothing more", () => {
  test("full: the facts are stored, the old file stands, and it follows when there is room", async () => {
    using disk = diskOr();
    if (!disk) return;
    await using at = await openTestRecords({ folder: disk.path });
    await at.say(target, { name: "Acme", city: "Köln" });
    const before = at.read(file);
    const filler = fill(disk);
    await expect(at.say(target, { description: "y".repeat(20_000) })).rejects.toMatchObject({
      code: "disk_full",
      message: expect.stringMatching(/^the facts are stored, but not their files/),
    });
    expect(at.read(file)).toBe(before);
    expect((await valuesOf(at.ledger, target))["description"]).toHaveLength(20_000);
    rmSync(filler);
    await at.records.catchUp();
    expect(at.read(file)).toContain("y".repeat(20_000));
    expect(at.records.problems()).toEqual([]);
  });

  test("full: a hand edit stays in its file until it can be imported and the file written", async () => {
    using disk = diskOr();
    if (!disk) return;
    await using at = await openTestRecords({ folder: disk.path });
    await at.say(target, { name: "Acme", city: "Köln", description: "z".repeat(8_000) });
    at.edit(file, (text) => text.replace("city: Köln", "# mine\ncity: Bonn"));
    const edited = at.read(file);
    const filler = fill(disk);
    await expect(at.records.ingest()).rejects.toMatchObject({ code: "disk_full" });
    expect(at.read(file)).toBe(edited);
    rmSync(filler);
    await at.records.ingest();
    expect(at.read(file)).toContain("# mine\ncity: Bonn");
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Bonn" });
  });

  test("read-only: the same, with words of its own", async () => {
    using disk = diskOr();
    if (!disk) return;
    const at = await openTestRecords({ folder: disk.path });
    await at.say(target, { name: "Acme", city: "Köln" });
    disk.makeReadOnly();
    await expect(at.say(target, { city: "Bonn" })).rejects.toMatchObject({
      code: "disk_read_only",
      message: expect.stringContaining("remount it writable"),
    });
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Bonn" });
    expect((await at.records.company("acme"))?.texts.city).toBe("Bonn");
  });
});
