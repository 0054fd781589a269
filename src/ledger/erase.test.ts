import { expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket, type MemoryObject } from "../bucket/adapters/memory/memory-bucket.ts";
import { createLease } from "../bucket/index.ts";
import { viewAt } from "./history.ts";
import type { Ledger } from "./ledger.ts";
import { openTestLedger } from "./testing/test-ledger.ts";
import { compact } from "./tiers/hub/hub.ts";
import { hubLease } from "./tiers/keys.ts";

const target = "company/a";
const source = "hand:retention";
const site = "site:https://a.b";
const anna = "email/anna@secret.example";
const info = "email/info@a.b";
const mentions = ["visit"];
const erasures = [{ target, fields: [anna], mentions }];
const holds = (body: Uint8Array) => Buffer.from(body).toString().includes("secret.example");
const fieldsOf = async (ledger: Ledger, of = target) =>
  Object.fromEntries((await ledger.read(of)).fields.map(({ field, value }) => [field, value]));

/** Two visits saw the address; a person confirmed it once. */
async function writeSample(ledger: Ledger) {
  for (const pages of [1, 2]) {
    const visit = { pages, seen: [anna, info] };
    const fields = { [anna]: { pages }, [info]: true, visit };
    const changes = Object.entries(fields).map(([field, value]) => ({ target, field, value }));
    await ledger.write({ source: site, changes });
  }
  await ledger.write({ source: "hand:bob", changes: [{ target, field: anna, value: true }] });
}

test("takes the field and its name out of the journals, and out of the lists that name it", async () => {
  const files = new Map<string, Uint8Array>();
  const ledger = await openTestLedger({ files });
  await writeSample(ledger);
  // Two visits, three values of the address, and its removal.
  expect(await ledger.erase({ source, erasures })).toBe(6);
  expect([...files.values()].some(holds)).toBe(false);
  expect(await fieldsOf(ledger)).toEqual({ [info]: true, visit: { pages: 2, seen: [info] } });
  const visit = (await ledger.read(target)).fields.find(({ field }) => field === "visit");
  expect(visit?.source).toBe(site);
  expect(await ledger.knownFields({ targets: [target], prefixes: ["email/"] })).toMatchObject([
    { field: info, hasValue: true },
  ]);
  const digest = await ledger.digest();
  await ledger[Symbol.asyncDispose]();
  expect([...files.values()].some(holds)).toBe(false);
  await using again = await openTestLedger({ files });
  expect(await again.digest()).toBe(digest);
  expect(again.status().stranded).toBe(0);
  expect(await again.unscrubbed()).toBe(0);
});

test("a later visit brings it back, and it can be erased again", async () => {
  await using ledger = await openTestLedger();
  await writeSample(ledger);
  await ledger.erase({ source, erasures });
  await ledger.write({ source: site, changes: [{ target, field: anna, value: "new" }] });
  expect(await fieldsOf(ledger)).toMatchObject({ [anna]: "new" });
  await ledger.erase({ source, erasures });
  expect(await fieldsOf(ledger)).not.toHaveProperty(anna);
  expect(await ledger.unscrubbed()).toBe(0);
});

test("what was removed before has a history, and goes too", async () => {
  const files = new Map<string, Uint8Array>();
  await using ledger = await openTestLedger({ files });
  await writeSample(ledger);
  await ledger.write({ source, changes: [{ target, field: anna, unset: true }] });
  expect(await ledger.knownFields({ targets: [target], prefixes: ["email/"] })).toMatchObject([
    { field: anna, hasValue: false },
    { field: info },
  ]);
  await ledger.erase({ source, erasures });
  expect([...files.values()].some(holds)).toBe(false);
});

test("texts go from names and values of other fields too, also from values that were overwritten", async () => {
  const files = new Map<string, Uint8Array>();
  await using ledger = await openTestLedger({ files });
  await writeSample(ledger);
  const page = "https://a.b/people/anna%40secret.example";
  const write = (fields: Readonly<Record<string, unknown>>) =>
    ledger.write({
      source: site,
      changes: Object.entries(fields).map(([field, value]) => ({ target, field, value })),
    });
  await write({ description: "by Anna@Secret.Example", tagline: "ask\nanna@secret.example" });
  const texts = ["anna@secret.example"];
  await write({
    description: "ours",
    "phone/+49891": { label: "mail anna@secret.example, or call" },
    [`page/${encodeURIComponent("https://a.b/anna@secret.example")}`]: { title: "Anna" },
    nav: [{ text: "anna@secret.example", url: page }, { text: "joanna@secret.example.org" }],
    "service/floors": true,
  });
  await ledger.write({
    source: "hand:bob",
    changes: [{ target: "company/c", field: "note", value: texts[0] }],
  });
  await ledger.erase({ source, erasures: [{ target, fields: [anna], mentions, texts }] });
  expect(await fieldsOf(ledger)).toEqual({
    [info]: true,
    visit: { pages: 2, seen: [info] },
    description: "ours",
    tagline: "ask\n…",
    "phone/+49891": { label: "mail …, or call" },
    nav: [{ text: "…", url: "…" }, { text: "joanna@secret.example.org" }],
    "service/floors": true,
  });
  const all = [...files.values()].map((bytes) => Buffer.from(bytes).toString()).join();
  // Another target, and another address.
  expect(all.match(/.{10}anna(@|%40)secret.example/gi)).toEqual([
    expect.stringContaining("note"),
    expect.stringContaining("joanna"),
  ]);
  expect(await ledger.unscrubbed()).toBe(0);
  // A visit that finds it again writes it again.
  await write({ description: "by anna@secret.example" });
  expect(await fieldsOf(ledger)).toMatchObject({ description: "by anna@secret.example" });
});

test("killed before the logs are scrubbed: the next call scrubs them", async () => {
  const files = new Map<string, Uint8Array>();
  await using ledger = await openTestLedger({ files });
  await writeSample(ledger);
  // Up to the commit, as the disk has it when the process ends there.
  let isErasing = true;
  const erasing = ledger.erase({ source, erasures }).finally(() => (isErasing = false));
  while (isErasing && !(await ledger.read(target)).fields.every(({ field }) => field !== anna));
  const cut = new Map([...files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
  await erasing;
  await using next = await openTestLedger({ files: cut });
  expect([...cut.values()].some(holds)).toBe(true);
  expect(await fieldsOf(next)).not.toHaveProperty(anna);
  expect(await next.unscrubbed()).toBeGreaterThan(0);
  await next.erase({ source, erasures: [] });
  expect([...cut].filter(([, bytes]) => holds(bytes)).map(([name]) => name)).toEqual([]);
});

test("in a fleet: checkpoint, prune and archive lose it, and what a node wrote before while it was away", async () => {
  const clock = createTestClock();
  const objects = new Map<string, MemoryObject>();
  const bucket = createMemoryBucket({ clock, objects });
  const random = createSeededRandom(7);
  const lease = createLease({ bucket, name: hubLease, owner: "h", clock, random });
  const fold = async () => {
    if (!lease.isHeld()) await lease.acquire();
    const epoch = lease.epoch()!;
    const [log, graceMs, isHeld] = [silentLogger, 0, () => lease.isHeld()];
    return compact({ bucket, clock, random, log, owner: "h", lease, epoch, graceMs, isHeld });
  };
  const holders = () =>
    new Set([...objects].filter(([, { body }]) => holds(body)).map(([key]) => key.split("/")[1]));
  const filesOfAway = new Map<string, Uint8Array>();
  await using ledger = await openTestLedger({ clock });
  await using other = await openTestLedger({ clock });
  await using away = await openTestLedger({ clock, files: filesOfAway });
  const touch = async (by: Ledger, value: number) => {
    await by.write({ source, changes: [{ target: "company/b", field: "n", value }] });
    await by.withBucket(bucket).sync();
    await clock.advance(10);
    await fold();
  };
  await writeSample(ledger);
  await ledger.withBucket(bucket).sync();
  await touch(other, 1);
  await touch(other, 2);
  await touch(other, 3);
  expect(holders()).toEqual(new Set(["archive", "part"]));
  await away.withBucket(bucket).sync();
  await away.write({ source: site, changes: [{ target, field: anna, value: "away" }] });

  await clock.advance(10);
  await ledger.erase({ source, erasures });
  await ledger.withBucket(bucket).sync();
  for (const value of [4, 5, 6]) await touch(other, value);
  expect(holders()).toEqual(new Set());
  await away.withBucket(bucket).sync();
  expect(await fieldsOf(away)).not.toHaveProperty(anna);
  for (const value of [7, 8, 9]) await touch(away, value);
  expect(holders()).toEqual(new Set());
  for (const one of [ledger, other, away]) await one.withBucket(bucket).sync();
  // Its journal is covered by the checkpoint, and gone.
  const left = [...filesOfAway].filter(([, body]) => holds(body)).map(([name]) => name);
  expect(left).toEqual([]);
  const digests = await Promise.all([ledger, other, away].map((one) => one.digest()));
  expect(new Set(digests).size).toBe(1);
  expect(await fieldsOf(other)).toMatchObject({ visit: { seen: [info] } });
});

test("what must stay is refused, and a moment before shows nothing of it", async () => {
  const clock = createTestClock();
  await using ledger = await openTestLedger({ clock });
  await writeSample(ledger);
  for (const field of ["forgotten", "mergedInto", "erased/x.y"]) {
    const request = { source, erasures: [{ target, fields: [field] }] };
    await expect(ledger.erase(request)).rejects.toThrow(/cannot be erased/);
  }
  const before = await ledger.writtenOf([target]);
  await clock.advance(1_000);
  await ledger.erase({ source, erasures });
  const now = viewAt(target, await ledger.writtenOf([target]), Date.parse("2999-01-01"));
  expect(now.fields.map(({ field }) => field)).toEqual([info, "visit"]);
  // From a log that was not scrubbed yet: segments in a bucket stay until they are pruned.
  const all = [...before, ...(await ledger.writtenOf([target]))];
  const earlier = viewAt(target, all.values(), Date.parse(before.at(-1)!.stamp.slice(0, 24)));
  expect(JSON.stringify(earlier)).not.toContain("secret.example");
  expect(earlier.fields.map(({ field }) => field)).toEqual([info]);
});
