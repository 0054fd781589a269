import { expect, test } from "vitest";
import { createFirstVisits, firstHosts, type EndedVisit } from "./first-visits.ts";

async function pausedBy(visits: readonly Partial<EndedVisit>[]) {
  const paused: string[] = [];
  const note = createFirstVisits(async (job, reason) => void paused.push(`${job}: ${reason}`));
  for (const [at, visit] of visits.entries()) {
    await note("leads", { host: `h${at}`, outcome: "unreachable", reason: "dns", ...visit });
  }
  return paused;
}
const times = (count: number, visit: Partial<EndedVisit> = {}) =>
  Array.from({ length: count }, () => visit);

test("a job is reported once, when its first hosts all failed for one reason", async () => {
  expect(await pausedBy(times(firstHosts - 1))).toEqual([]);
  expect(await pausedBy(times(firstHosts))).toEqual(["leads: dns"]);
  expect(await pausedBy(times(3 * firstHosts))).toEqual(["leads: dns"]);
});

test("websites that answer, and all refuse the visit, are not a success either", async () => {
  const refusals: readonly Partial<EndedVisit>[] = [
    { outcome: "blocked", reason: "http_403" },
    { outcome: "robots", reason: "robots" },
    { outcome: "parked", reason: "parked" },
    { outcome: "done", reason: "needs_scripts" },
  ];
  for (const refusal of refusals) {
    expect(await pausedBy(times(firstHosts, refusal))).toEqual([`leads: ${refusal.reason}`]);
  }
});

test("one site that was read, or failed for another reason, is enough to continue", async () => {
  const others: readonly Partial<EndedVisit>[] = [
    { outcome: "robots", reason: "robots" },
    { outcome: "blocked", reason: "http_403" },
    { reason: "timeout" },
  ];
  for (const other of others) {
    expect(await pausedBy([...times(5), other, ...times(2 * firstHosts)])).toEqual([]);
  }
  const paused: string[] = [];
  const note = createFirstVisits(async (job) => void paused.push(job));
  await note("leads", { host: "read", outcome: "not_modified" });
  for (const host of Array(2 * firstHosts).keys()) {
    await note("leads", { host: `h${host}`, outcome: "unreachable", reason: "dns" });
  }
  expect(paused).toEqual([]);
});

test("several visits of one host count once", async () => {
  expect(await pausedBy(times(2 * firstHosts, { host: "same" }))).toEqual([]);
});
