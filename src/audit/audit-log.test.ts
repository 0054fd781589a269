import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestClock } from "../base/testing/test-clock.ts";
import { openAuditLog, redactEntries, type NewAuditEntry } from "./index.ts";

function setUp() {
  const root = mkdtempSync(join(tmpdir(), "forager-audit-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "audit");
  const clock = createTestClock(Date.UTC(2026, 0, 15));
  const open = () => openAuditLog({ folder, keepDays: 60, clock });
  return { folder, clock, open, log: open() };
}
const entry = (more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  who: "ann",
  by: "token",
  what: "setCompany",
  target: "/api/companies/acme",
  result: "ok",
  ...more,
});

test("entries are kept, newest first, and found by who, what, result and time", async () => {
  const { clock, log, folder } = setUp();
  await log.append(
    entry({ before: { city: "Austin" }, after: { city: "Waco" }, from: "10.0.0.9" }),
  );
  await clock.advance(60_000);
  await log.append(entry({ who: "bob", what: "login", result: "denied", detail: "wrong" }));
  const { entries: all } = await log.list({ limit: 10 });
  expect(all.map(({ who, what, result }) => `${who} ${what} ${result}`)).toEqual(["bob login denied", "ann setCompany ok"]); // prettier-ignore
  expect(all[1]).toMatchObject({ before: '{"city":"Austin"}', after: '{"city":"Waco"}', from: "10.0.0.9" }); // prettier-ignore
  const found = async (query: object) => (await log.list({ limit: 10, ...query })).entries.map(({ who }) => who); // prettier-ignore
  expect(await found({ who: "ann" })).toEqual(["ann"]);
  expect(await found({ what: "log" })).toEqual(["bob"]);
  expect(await found({ result: "denied" })).toEqual(["bob"]);
  expect(await found({ since: "2026-01-15T00:00:30.000Z" })).toEqual(["bob"]);
  expect(await found({ until: "2026-01-15T00:00:30.000Z" })).toEqual(["ann"]);
  expect(await found({ limit: 1 })).toEqual(["bob"]);
  const [name = ""] = readdirSync(folder);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("no text can begin another line or steer a terminal", async () => {
  const { log, folder } = setUp();
  const hostile = 'x\r\n{"who":"root"}\u2028\u001b[2J\u0085\u202etxt';
  await log.append(entry({ who: hostile, target: hostile, after: { [hostile]: hostile } }));
  const [name = ""] = readdirSync(folder);
  const text = readFileSync(join(folder, name), "utf8");
  expect(text).toMatch(/^[\x20-\x7e]+\n$/);
  expect((await log.list({ limit: 9 })).entries.map(({ who }) => who)).toEqual([hostile]);
});

test("secrets are removed, and what is long is cut", async () => {
  const { log } = setUp();
  const after = { password: "hunter2", nested: { apiKey: "k1" }, note: "n".repeat(9_000) };
  await log.append(entry({ after, target: "https://u:hunter2@h/?token=t0ken" }));
  const [found] = (await log.list({ limit: 1 })).entries;
  expect(JSON.stringify(found)).not.toMatch(/hunter2|k1|t0ken/);
  expect(found!.after!.length).toBeLessThan(2_100);
});

test("a line that was cut off is skipped, and the next one is whole", async () => {
  const { log, folder, open } = setUp();
  await log.append(entry());
  const [name = ""] = readdirSync(folder);
  appendFileSync(join(folder, name), '{"at":"2026-01-');
  await open().append(entry({ who: "bob" }));
  expect((await log.list({ limit: 9 })).entries.map(({ who }) => who)).toEqual(["bob", "ann"]);
});

test("many at once are all there, and old months go", async () => {
  const { log, folder, clock, open } = setUp();
  const other = open();
  await Promise.all(Array.from({ length: 40 }, (_, at) => (at % 2 ? log : other).append(entry({ who: `u${at}` })))); // prettier-ignore
  expect(new Set((await log.list({ limit: 99 })).entries.map(({ who }) => who)).size).toBe(40);
  await clock.advance(120 * 86_400_000);
  await log.append(entry());
  expect(readdirSync(folder)).toEqual(["2026-05.jsonl"]);
});

test("pages give each entry once, whatever is added meanwhile, over months and damaged lines", async () => {
  const { log, folder, clock } = setUp();
  for (let at = 0; at < 25; at++) {
    await log.append(entry({ who: `u${at}`, after: { note: "ä".repeat(at * 40) } }));
    if (at === 9) await clock.advance(20 * 86_400_000);
    if (at === 14) appendFileSync(join(folder, "2026-02.jsonl"), '{"at":"cut off\n\n');
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { entries, next } = await log.list({ limit: 4, ...(cursor !== undefined && { cursor }) });
    seen.push(...entries.map(({ who }) => who));
    await log.append(entry({ who: "late" }));
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => `u${24 - at}`));
  await expect(log.list({ limit: 1, cursor: "../x" })).rejects.toMatchObject({
    code: "bad_cursor",
  });
});

test("entries beyond the first megabyte of a file are found", async () => {
  const { log, folder } = setUp();
  await log.append(entry({ who: "first" }));
  const filler = `${JSON.stringify({ at: "no entry", note: "x".repeat(900) })}\n`.repeat(2_500);
  appendFileSync(join(folder, "2026-01.jsonl"), filler);
  await log.append(entry({ who: "last" }));
  const { entries, next } = await log.list({ limit: 1 });
  expect(entries.map(({ who }) => who)).toEqual(["last"]);
  const more = await log.list({ limit: 9, cursor: next! });
  expect(more).toMatchObject({ entries: [{ who: "first" }], next: null });
});

test("of a forgotten record neither names nor values stay, and all other entries do", async () => {
  const { log, folder } = setUp();
  const target = "person/k3x9";
  const about: readonly Partial<NewAuditEntry>[] = [
    { target: "PATCH /api/people/jo-smith", before: { city: "Waco" }, after: { city: "Austin" } },
    { what: "person set", by: "command", target: "jo-smith city=Austin", asked: { source: "x" } },
    { what: "person add", by: "command", target: "Jo Smith", asked: { email: "jo@private.example" } },
    { what: "createPerson", target: "POST /api/people", asked: { name: "Jo Smith" }, after: { target } },
    { what: "undo", target: "", after: { [`${target} email/jo@private.example`]: true } },
    { target: "GET /api/people/jo%2Dsmith", result: "failed", detail: "404: there is no jo-smith" },
  ]; // prettier-ignore
  const others: readonly Partial<NewAuditEntry>[] = [
    { target: "PATCH /api/people/jo-smith-2", after: { city: "Waco" } },
    { target: "PATCH /api/companies/jo-smith", after: { city: "Waco" } },
    { target: "POST /api/people", what: "createPerson", after: { target: `${target}-other` } },
  ];
  for (const one of [...about, ...others]) await log.append(entry(one));
  const [name = ""] = readdirSync(folder);
  const before = readFileSync(join(folder, name), "utf8");
  const kept = (await log.list({ limit: 99 })).entries.slice(0, others.length);
  const record = {
    kind: "person",
    targets: [target],
    names: ["Jo Smith"],
    isCalled: (text: string) => text === "jo-smith",
  } as const;
  expect(await redactEntries(folder, record)).toBe(about.length);
  await log.append(entry({ who: "bob" }));
  const text = readFileSync(join(folder, name), "utf8");
  expect(text.split("\n").slice(0, about.length).join("\n")).not.toMatch(
    /smith|private|Waco|Austin/i,
  );
  expect(text.slice(0, before.length).length).toBe(before.length);
  const { entries: all } = await log.list({ limit: 99 });
  expect(all).toHaveLength(about.length + others.length + 1);
  expect(all.slice(1, 1 + others.length)).toEqual(kept);
  expect(all.at(-1)).toMatchObject({
    who: "ann",
    target: "(forgotten)",
    before: null,
    result: "ok",
  });
});

test("what a task carries is not recorded", async () => {
  const { log, folder } = setUp();
  await log.append(entry({ asked: { tasks: [{ kind: "mail", payload: { to: "jo@private.example" } }] } })); // prettier-ignore
  const [name = ""] = readdirSync(folder);
  const text = readFileSync(join(folder, name), "utf8");
  expect(text).not.toContain("private");
  expect(text).toContain("mail");
});
