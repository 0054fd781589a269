import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import type { TestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { compactOnce, readArchive } from "../../ledger/index.ts";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";
import { targetOfKey } from "../testing/company-targets.ts";

const target = targetOfKey("acme.com");
const file = "companies/acme/_index.md";
const source = "hand:anna";
const minuteMs = 60_000;

/** Köln from a place, then Bonn from a site, then Ulm by hand: each a minute later. */
async function openStory(): Promise<TestRecords & { readonly startMs: number }> {
  const at = await openTestRecords();
  const startMs = at.clock.nowMs();
  await at.say(target, { name: "Acme", city: "Köln", "tag/old": true }, "place:osm/1");
  await at.clock.advance(minuteMs);
  await at.say(target, { city: "Bonn", "tag/new": true, "tag/old": undefined });
  await at.clock.advance(minuteMs);
  at.edit(file, (text) => text.replace("city: Bonn", "city: Ulm"));
  await at.records.ingest();
  return { ...at, startMs };
}

/** Advances the clock until the work is done. */
async function passing(clock: TestClock, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = () => void (isDone = true);
  work.then(end, end);
  for (let second = 0; !isDone && second < 600; second++) await clock.advance(1_000);
  await work;
}

describe("history", () => {
  test("shows who wrote what, when, and which value is shown", async () => {
    await using at = await openStory();
    const history = await at.records.history({ name: "acme", field: "city" });
    expect(history.map(({ value, source: by, isShown }) => [value, by, isShown])).toEqual([
      ["Ulm", "hand:anna", true],
      ["Bonn", "site:https://acme.com", false],
      ["Köln", "place:osm/1", false],
    ]);
    const tags = await at.records.history({ name: "acme", field: "tag" });
    expect(tags.map(({ field }) => field)).toContain("tag/old");
    const side = at.read("companies/acme/_fields.tsv");
    expect(side).toMatch(/^city\t2026-01-01T00:02:.*\thand:anna\t/m);
    expect(side).toMatch(/^name\t.*\tplace:osm\/1\t/m);
  });

  test("a field goes back to a moment, or the whole record; notes and folder stay", async () => {
    await using at = await openStory();
    await at.records.addEntry({ name: "acme", kind: "note", source, text: "kept" });
    const plan = { name: "acme", field: "city", atMs: at.startMs };
    expect(await at.records.planRestore(plan)).toMatchObject([{ field: "city", after: "Köln" }]);
    await at.records.restoreAt({ ...plan, source });
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Köln", "tag/new": true });
    await at.records.restoreAt({ name: "acme", atMs: at.startMs + minuteMs, source });
    const company = await at.records.company("acme");
    expect(company).toMatchObject({ tags: ["new"], texts: { city: "Bonn" } });
    expect(company?.entries).toHaveLength(1);
    await at.records.restoreAt({ name: "acme", atMs: at.startMs, source });
    expect(at.read(file)).toContain("tags:\n  - old\n");
  });

  test("a moment before anything was known empties no record", async () => {
    await using at = await openStory();
    const before = await valuesOf(at.ledger, target);
    const request = { name: "acme", atMs: at.startMs - 86_400_000, source };
    await expect(at.records.restoreAt(request)).rejects.toMatchObject({ code: "records_not_yet" });
    const ofName = { ...request, field: "name" };
    await expect(at.records.restoreAt(ofName)).rejects.toThrow(/its history begins at \d{4}-/);
    expect(await valuesOf(at.ledger, target)).toEqual(before);
  });

  test("what only the archive knows is asked for there, and never guessed", async () => {
    await using at = await openStory();
    const bucket = createMemoryBucket({ clock: at.clock });
    const sync = at.ledger.withBucket(bucket);
    await sync.sync();
    const random = createSeededRandom(5);
    const parts = { bucket, clock: at.clock, random, log: silentLogger, owner: "hub" };
    await passing(at.clock, compactOnce(parts));
    await sync.sync();
    expect(at.ledger.status()).toMatchObject({ checkpoint: 1, datagramsSinceCheckpoint: 0 });
    const request = { name: "acme", field: "city", atMs: at.startMs, source };
    await at.say(target, { city: "Trier" }, source);
    await expect(at.records.restoreAt(request)).rejects.toMatchObject({
      code: "records_history_short",
    });
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Trier" });
    await at.records.restoreAt({ ...request, archive: readArchive(bucket) });
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Köln" });
  });

  test("D16: what was erased is not shown from segments that still have it", async () => {
    await using at = await openStory();
    const bucket = createMemoryBucket({ clock: at.clock });
    const sync = at.ledger.withBucket(bucket);
    await sync.sync();
    await at.records.erase({ source, erasures: [{ target, fields: ["city"] }] });
    await sync.sync();
    const random = createSeededRandom(5);
    const parts = { bucket, clock: at.clock, random, log: silentLogger, owner: "hub" };
    await passing(at.clock, compactOnce(parts));
    await sync.sync(); // nothing is in the journals any more
    const history = await at.records.history({ name: "acme", archive: readArchive(bucket) });
    expect(history.map(({ field }) => field)).toContain("name");
    expect(history.filter(({ field }) => field === "city")).toEqual([]);
    const request = { name: "acme", atMs: at.startMs, source, archive: readArchive(bucket) };
    await at.records.restoreAt(request);
    expect(await valuesOf(at.ledger, target)).not.toHaveProperty("city");
  });
});

describe("forget", () => {
  test("takes facts, files, kept renders and copies; nothing brings it back", async () => {
    await using at = await openTestRecords();
    const fields = { name: "Acme", domain: "acme.com", city: "Köln", "email/a@acme.com": true };
    await at.records.create({ source: "place:osm/1", fields });
    await at.records.addEntry({ name: "acme", kind: "note", source, text: "secret" });
    at.save("companies/acme/notes/mine.md", "another secret");
    await at.records.rename({ name: "acme", source, newName: "Zenith" });
    at.edit("companies/zenith/_index.md", (text) => text.replace("Köln", "Secretville"));
    await at.records.ingest();
    at.edit("companies/zenith/_index.md", (text) => text.replace("Secretville", "S2"));

    const forgotten = await at.records.forget({ name: "zenith", source });
    expect(forgotten).toMatchObject({ target, files: 0, aside: 0, datagrams: 0 });
    expect(forgotten.scrubbed).toBeGreaterThan(5);
    expect(await at.records.remains(target)).toEqual({ files: 0, aside: 0, datagrams: 0 });
    expect(at.grep(/acme|zenith|secret|S2/i)).toEqual([]);
    expect(await at.records.company("zenith")).toBeUndefined();
    const again = await at.records.create({ source: "place:osm/1", fields });
    expect(again).toMatchObject({ outcome: "suppressed", slug: "" });
    const other = { name: "Other", "email/a@acme.com": true };
    const created = await at.records.create({ source, fields: other });
    expect(created).toMatchObject({ outcome: "created", leftOut: ["email/a@acme.com"] });
    expect(at.grep(/a@acme/)).toEqual([]);
  });

  test("forgets what was merged into it, too", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme" });
    await at.say("company/b", { name: "Hidden Name", city: "Köln" });
    await at.records.merge({ from: "hidden-name", into: "acme", source });
    await at.records.forget({ name: "acme", source });
    expect(at.grep(/hidden|köln|acme/i)).toEqual([]);
    expect(await valuesOf(at.ledger, "company/b")).toEqual({});
    expect(
      (await at.ledger.log({ from: 0, limit: Infinity })).some(({ value }) =>
        value?.includes("Köln"),
      ),
    ).toBe(false);
  });

  test("a crash after the facts are gone: the next life removes the files", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", city: "Köln" });
    at.save("companies/acme/notes/mine.md", "a note of a user about Acme");
    await at.ledger.forget({ target, source });
    expect(at.has(file)).toBe(true);
    await using _ = await at.reopen();
    expect(at.has(file)).toBe(false);
    expect(at.list("companies")).toEqual([]);
  });
});
