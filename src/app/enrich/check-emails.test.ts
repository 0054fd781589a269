import { expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createDnsMailResolver } from "../../crawl/adapters/dns/dns-mail-resolver.ts";
import { startDnsServer } from "../../crawl/testing/dns-server.ts";
import type { NodeApi } from "../../node/index.ts";
import { openSqliteRecordIndex } from "../../records/adapters/sqlite/sqlite-record-index.ts";
import type { RecordQuery } from "../../records/index.ts";
import { openTestRecords } from "../../records/testing/test-records.ts";
import { checkEmails } from "./check-emails.ts";

const dayMs = 86_400_000;
const { signal } = new AbortController();

async function openSample(emails: readonly string[]) {
  const index = openSqliteRecordIndex({ file: ":memory:", log: silentLogger });
  const at = await openTestRecords({ index });
  await at.records.create({
    source: "site:https://acme.example",
    fields: {
      name: "Acme",
      domain: "acme.example",
      ...Object.fromEntries(emails.map((email) => [`email/${email}`, true])),
    },
  });
  const node = {
    ledger: at.ledger,
    records: { ...at.records, search: async (query: RecordQuery) => index.search(query) },
  } as unknown as Pick<NodeApi, "ledger" | "records">;
  return { ...at, node, index };
}

const check = (at: Awaited<ReturnType<typeof openSample>>, server: string) =>
  checkEmails({
    node: at.node,
    clock: at.clock,
    resolver: createDnsMailResolver({ server, timeoutMs: 100 }),
    ttlDays: 30,
    query: { kind: "company" },
    signal,
  });

test("a domain is asked for once in its time; the status is dated, filtered by, and no change of the company", async () => {
  await using dns = await startDnsServer({
    "acme.example": { mx: [[10, "mx.acme.example"]] },
    "null.example": { mx: [[0, "."]] },
  });
  await using at = await openSample(["info@acme.example", "anna.berg@acme.example", "x@null.example"]); // prettier-ignore
  const before = (await at.records.company("acme"))!.changedAt;
  const moment = new Date(at.clock.nowMs()).toISOString();
  const first = await check(at, dns.address);
  expect(first).toEqual({ addresses: 3, fresh: 0, asked: 2, statuses: { "ok-domain": 2, "no-mail": 1 } }); // prettier-ignore
  const company = (await at.records.company("acme"))!;
  expect(company.changedAt).toBe(before);
  expect(company.emails.map(({ value, status }) => [value, status])).toEqual([
    ["anna.berg@acme.example", { status: "ok-domain", because: "mx", kind: "person", at: moment }],
    ["info@acme.example", { status: "ok-domain", because: "mx", kind: "role", at: moment }],
    ["x@null.example", { status: "no-mail", because: "null-mx", kind: "person", at: moment }],
  ]);
  const found = (emailStatus: "ok-domain" | "disposable") =>
    at.index.search({ kind: "company", filters: { emailStatus }, limit: 10 }).rows.length;
  expect([found("ok-domain"), found("disposable")]).toEqual([1, 0]);

  const asked = dns.questions.length;
  await at.clock.advance(29 * dayMs);
  expect(await check(at, dns.address)).toMatchObject({ fresh: 3, asked: 0 });
  expect(dns.questions.length).toBe(asked);
  await at.clock.advance(2 * dayMs);
  expect(await check(at, dns.address)).toMatchObject({ fresh: 0, asked: 2 });
});

test("a disposable domain is known from a list: no DNS server is asked, and none is counted", async () => {
  await using dns = await startDnsServer({});
  await using at = await openSample(["x@mailinator.com"]);
  const reported = await check(at, dns.address);
  expect(reported).toEqual({ addresses: 1, fresh: 0, asked: 0, statuses: { disposable: 1 } });
  expect(dns.questions).toHaveLength(0);
});

test("no answer is unknown, is asked again, and never replaces an answer", async () => {
  const zone: Record<string, { mx?: [number, string][]; code?: number }> = {
    "acme.example": { mx: [[10, "mx.acme.example"]] },
    "slow.example": { code: 2 },
  };
  await using dns = await startDnsServer(zone);
  await using at = await openSample(["info@acme.example", "info@slow.example"]);
  expect((await check(at, dns.address)).statuses).toEqual({ "ok-domain": 1, unknown: 1 });
  expect(await check(at, dns.address)).toMatchObject({ fresh: 1, asked: 1 });
  await at.clock.advance(31 * dayMs);
  zone["acme.example"] = { code: 2 };
  await check(at, dns.address);
  const company = (await at.records.company("acme"))!;
  expect(company.emails.map(({ status }) => status?.status)).toEqual(["ok-domain", "unknown"]);
});

test("without a network it stops and says so, instead of asking for every domain", async () => {
  const dns = await startDnsServer({});
  const closed = dns.address;
  await dns[Symbol.asyncDispose]();
  const emails = Array.from({ length: 200 }, (_, at) => `info@d${at}.example`);
  await using at = await openSample(emails);
  await expect(check(at, closed)).rejects.toMatchObject({ code: "dns_unreachable" });
  expect((await at.records.company("acme"))!.emails[0]!.status).toBeUndefined();
});
