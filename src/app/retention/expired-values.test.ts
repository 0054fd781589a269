import { expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import type { NodeApi } from "../../node/index.ts";
import { openSqliteRecordIndex } from "../../records/adapters/sqlite/sqlite-record-index.ts";
import { emailStatusField, manualChanges, type RecordQuery } from "../../records/index.ts";
import { openTestRecords } from "../../records/testing/test-records.ts";
import { readExpired, removeExpired } from "./expired-values.ts";
import { targetOfKey } from "../../records/testing/company-targets.ts";

const dayMs = 86_400_000;
const { signal } = new AbortController();

async function openSample() {
  const index = openSqliteRecordIndex({ file: ":memory:", log: silentLogger });
  const at = await openTestRecords({ index });
  const site = "site:https://acme.example/team";
  await at.records.create({
    source: site,
    fields: {
      name: "Acme",
      domain: "acme.example",
      "email/info@acme.example": true,
      "email/anna.berg@acme.example": true,
      "email/carl.dorn@acme.example": true,
    },
  });
  for (const [name, address] of [
    ["Anna Berg", "anna.berg@acme.example"],
    ["Carl Dorn", "carl.dorn@acme.example"],
  ] as const) {
    const fields = { name, [`email/${address}`]: true };
    await at.records.createPerson({ source: site, fields, company: "acme" });
  }
  await at.clock.advance(100 * dayMs);
  const nowMs = at.clock.nowMs();
  // The last visit, ten days ago, still found Anna.
  const value = {
    at: new Date(nowMs - 10 * dayMs).toISOString(),
    outcome: "done",
    version: 1,
    pages: 1,
    seen: ["email/anna.berg@acme.example"],
  };
  await at.records.write({
    source: site,
    changes: [{ target: targetOfKey("acme.example"), field: "visit", value }],
  });
  const node = {
    ledger: at.ledger,
    records: { ...at.records, search: async (query: RecordQuery) => index.search(query) },
  } as unknown as Pick<NodeApi, "ledger" | "records">;
  return { ...at, node, nowMs, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

test("values are found and deleted in bounded parts", async () => {
  await using at = await openSample();
  const retention = { peopleDays: 30, personalEmailDays: 30 };
  expect(await readExpired({ ...at, retention, signal }, 1)).toMatchObject({
    values: [{ name: "Carl Dorn" }],
    isCut: true,
  });
  const removed = await removeExpired({ ...at, retention, signal, limit: 1 });
  expect(removed).toEqual({ people: 1, emails: 1 });
  expect(await readExpired({ ...at, retention, signal })).toEqual({ values: [], isCut: false });
});

test("without an age everything stays", async () => {
  await using at = await openSample();
  const retention = { peopleDays: 0, personalEmailDays: 0 };
  expect((await readExpired({ ...at, retention, signal })).values).toEqual([]);
});

test("D16: people and personal addresses that nobody saw for so long go; roles and what was seen stay", async () => {
  await using at = await openSample();
  const retention = { peopleDays: 30, personalEmailDays: 30 };
  const found = (await readExpired({ ...at, retention, signal })).values;
  expect(found.map(({ kind, name, email }) => `${kind} ${email ?? name}`)).toEqual([
    "person Carl Dorn",
    "email carl.dorn@acme.example",
  ]);
  const before = await at.records.company("acme");
  expect(before?.emails).toHaveLength(3); // reading changes nothing
  expect(await removeExpired({ ...at, retention, signal })).toEqual({ people: 1, emails: 1 });
  const after = await at.records.company("acme");
  expect(after?.emails.map(({ value }) => value)).toEqual([
    "anna.berg@acme.example",
    "info@acme.example",
  ]);
  expect(await at.records.person("carl-dorn")).toBeUndefined();
  expect(await at.records.person("anna-berg")).toBeDefined();
  // A visit that finds it again writes it again, so its age starts from zero.
  const [target, field] = [targetOfKey("acme.example"), "email/carl.dorn@acme.example"];
  const changes = [{ target, field, value: { url: "https://acme.example/team" } }];
  await at.records.write({ source: "site:https://acme.example/team", changes });
  expect((await readExpired({ ...at, retention, signal })).values).toEqual([]);
});

test("ages are apart: people alone, and exactly at the limit they stay", async () => {
  await using at = await openSample();
  const people = { peopleDays: 99, personalEmailDays: 0 };
  expect((await readExpired({ ...at, retention: people, signal })).values).toHaveLength(1);
  const none = { peopleDays: 101, personalEmailDays: 101 };
  expect((await readExpired({ ...at, retention: none, signal })).values).toEqual([]);
});

test("D16: history and restore do not show or bring back what was removed, not even in lists of visits", async () => {
  await using at = await openSample();
  const carl = "carl.dorn@acme.example";
  const visit = {
    at: new Date(at.nowMs - 60 * dayMs).toISOString(),
    outcome: "done",
    version: 1,
    pages: 1,
    seen: [`email/${carl}`],
  };
  const site = "site:https://acme.example/team";
  const target = targetOfKey("acme.example");
  await at.records.write({ source: site, changes: [{ target, field: "visit", value: visit }] });
  const beforeMs = at.clock.nowMs();
  await at.clock.advance(dayMs);
  const retention = { peopleDays: 30, personalEmailDays: 30 };
  await removeExpired({ ...at, retention, signal, nowMs: at.clock.nowMs() });
  const history = await at.records.history({ name: "acme" });
  expect(JSON.stringify(history)).not.toContain(carl);
  expect(history.filter(({ field }) => field === "expired")).toHaveLength(4);
  expect(JSON.stringify(history)).toContain("info@acme.example");
  const now = await at.ledger.read(target);
  expect(JSON.stringify(now.fields)).not.toContain(carl);
  // The next visit still counts: its list is not a manual value.
  expect(now.fields.find(({ field }) => field === "visit")?.source).toBe(site);
  await at.records.restoreAt({ name: "acme", atMs: beforeMs, source: "hand:anna" });
  expect(JSON.stringify((await at.ledger.read(target)).fields)).not.toContain(carl);
});

test("addresses of people have the age of personal addresses, also if people may stay longer", async () => {
  await using at = await openSample();
  const retention = { peopleDays: 0, personalEmailDays: 30 };
  const found = (await readExpired({ ...at, retention, signal })).values;
  expect(found.map(({ target, email }) => `${target.split("/")[0]} ${email}`)).toEqual([
    "person carl.dorn@acme.example",
    "company carl.dorn@acme.example",
  ]);
  await removeExpired({ ...at, retention, signal });
  expect((await at.records.person("carl-dorn"))?.emails).toEqual([]);
});

const textOf = async ({ ledger, node }: Awaited<ReturnType<typeof openSample>>) => {
  const log = await ledger.log({ from: 0, limit: 10_000 });
  const found = await node.records.search({ kind: "company", limit: 100 });
  return JSON.stringify([log, found, await ledger.read(targetOfKey("acme.example"))]);
};

test("D16: an address leaves the files of the ledger with its name, also one that the record lost before", async () => {
  await using at = await openSample();
  const target = targetOfKey("acme.example");
  const lost = { target, field: "email/anna.berg@acme.example", unset: true } as const;
  await at.records.write({ source: "hand:anna", changes: [lost] });
  await at.clock.advance(40 * dayMs);
  const options = { node: at.node, nowMs: at.clock.nowMs(), signal };
  const retention = { peopleDays: 0, personalEmailDays: 60 };
  const first = (await readExpired({ ...options, retention })).values;
  // The visit that saw Anna is fifty days old.
  expect(first.map(({ target: of, email }) => `${of.split("/")[0]} ${email}`)).toEqual([
    "person carl.dorn@acme.example",
    "company carl.dorn@acme.example",
  ]);
  await removeExpired({ ...options, retention });
  expect(await textOf(at)).not.toContain("carl.dorn");
  expect(await textOf(at)).toContain("anna.berg");
  // Nor in the files of the records, which list what earlier renders showed, nor in their copies.
  expect(at.grep(/carl\.dorn@/)).toEqual([]);
  expect(at.grep(/info@acme/)).not.toEqual([]);
  for (const where of ["aside", "kept"] as const) expect(at.copies(where)).toEqual([]);
  // Removed forty days ago: too old for thirty.
  const shorter = { peopleDays: 0, personalEmailDays: 30 };
  expect((await readExpired({ ...options, retention: shorter })).values).toMatchObject([
    { kind: "email", email: "anna.berg@acme.example" },
    { kind: "email", target, email: "anna.berg@acme.example", isRemoved: true },
  ]);
  expect(await removeExpired({ ...options, retention: shorter })).toEqual({ people: 0, emails: 2 });
  expect(await textOf(at)).not.toContain("anna.berg@");
  expect(await textOf(at)).toContain("info@acme.example");
  expect((await readExpired({ ...options, retention: shorter })).values).toEqual([]);
  const changes = await manualChanges(at.ledger, { sinceMs: 0 });
  expect(changes.map(({ source }) => source)).not.toContain("hand:retention");
});

test("an address of a merged company goes from both", async () => {
  await using at = await openSample();
  const site = "site:https://acme.example/team";
  const dora = "dora.ernst@bolt.example";
  const fields = { name: "Bolt", domain: "bolt.example", [`email/${dora}`]: true };
  await at.records.create({ source: site, fields });
  await at.records.merge({ from: "bolt", into: "acme", source: "hand:anna" });
  await at.clock.advance(100 * dayMs);
  const retention = { peopleDays: 0, personalEmailDays: 30 };
  await removeExpired({ ...at, retention, signal, nowMs: at.clock.nowMs() });
  expect(await textOf(at)).not.toContain(dora);
});

test("D16: other texts of the record lose the address too, in all files", async () => {
  await using at = await openSample();
  const [target, carl] = [targetOfKey("acme.example"), "carl.dorn@acme.example"];
  const fields = {
    description: `Floors by ${carl}`,
    "phone/+15125550100": { label: `Carl, ${carl}` },
    "x/remark": `ask ${carl}`,
    "page/https%3A%2F%2Facme.example": { title: `Mail ${carl}` },
  };
  const changes = Object.entries(fields).map(([field, value]) => ({ target, field, value }));
  await at.records.write({ source: "site:https://acme.example/", changes });
  const status = { status: "ok-domain" };
  await at.records.write({
    source: "system",
    changes: [{ target, field: emailStatusField(carl), value: status }],
  });
  await at.records.addEntry({
    name: "acme",
    kind: "note",
    text: `called ${carl}`,
    source: "hand:a",
  });
  await at.clock.advance(40 * dayMs);
  const retention = { peopleDays: 0, personalEmailDays: 60 };
  await removeExpired({ ...at, retention, signal, nowMs: at.clock.nowMs() });
  expect(await textOf(at)).not.toContain(carl);
  expect(at.grep(/carl\.dorn@/)).toEqual([]);
  const company = await at.records.company("acme");
  expect(company?.description).toBe("Floors by …");
  expect(company?.phones).toMatchObject([{ label: "Carl, …" }]);
  expect(JSON.stringify(company?.entries)).toContain("called …");
});

test("an address that was written to a merged company after the merge has an age too", async () => {
  await using at = await openSample();
  const site = "site:https://bolt.example/team";
  const dora = "dora.ernst@bolt.example";
  await at.records.create({ source: site, fields: { name: "Bolt", domain: "bolt.example" } });
  await at.records.merge({ from: "bolt", into: "acme", source: "hand:anna" });
  // By a visit that was under way.
  const change = { target: targetOfKey("bolt.example"), field: `email/${dora}`, value: true };
  await at.records.write({ source: site, changes: [change] });
  expect((await at.records.company("acme"))?.emails.map(({ value }) => value)).toContain(dora);
  await at.clock.advance(100 * dayMs);
  const retention = { peopleDays: 0, personalEmailDays: 30 };
  await removeExpired({ ...at, retention, signal, nowMs: at.clock.nowMs() });
  expect(await textOf(at)).not.toContain(dora);
  expect(at.grep(/dora\.ernst@/)).toEqual([]);
});
