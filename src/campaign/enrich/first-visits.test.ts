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

test("one site that answered, or failed for another reason, is enough to go on", async () => {
  const others: readonly Partial<EndedVisit>[] = [
    { outcome: "done" },
    { outcome: "robots", reason: "robots" },
    { outcome: "blocked", reason: "http_403" },
    { reason: "timeout" },
  ];
  for (const other of others) {
    expect(await pausedBy([...times(5), other, ...times(2 * firstHosts)])).toEqual([]);
  }
});

test("several visits of one host count once", async () => {
  expect(await pausedBy(times(2 * firstHosts, { host: "same" }))).toEqual([]);
});
