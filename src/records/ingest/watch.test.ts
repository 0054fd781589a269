import { watch } from "node:fs";
import { expect, test, vi } from "vitest";
import { sleep, systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { openRecords } from "../open-records.ts";
import type { Ingested } from "../records.ts";
import { openTestRecords } from "../testing/test-records.ts";

vi.mock("node:fs", { spy: true });

const target = "company/acme.com";
const file = "companies/acme/_index.md";

/** Waits until the condition holds, for ten seconds at most. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500 && !(await isSo()); tries++) await sleep(systemClock, 20);
}

test("watching: an edit is imported after a moment of quiet, by the system's event", async () => {
  await using at = await openTestRecords();
  await at.say(target, { name: "Acme", city: "Köln" });
  const common = { ...at, log: silentLogger, user: "bob", clock: systemClock };
  await using records = await openRecords(common);
  const seen: Ingested[] = [];
  const watching = records.watch({
    quietMs: 50,
    checkMs: 3_600_000,
    onIngested: (ingested) => void seen.push(ingested),
  });
  await until(async () => seen.length > 0);
  at.edit(file, (text) => text.replace("Köln", "Bonn"));
  await until(async () => (await valuesOf(at.ledger, target))["city"] === "Bonn");
  await watching.stop();
  expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Bonn" });
  expect(seen.flatMap(({ edited }) => edited)).toEqual([{ target, fields: ["city"] }]);
});

test("watching where there is nothing yet: the first record that someone makes is noticed", async () => {
  await using at = await openTestRecords();
  const warn = vi.fn<() => void>();
  const common = { ...at, log: { ...silentLogger, warn }, user: "bob", clock: systemClock };
  await using records = await openRecords(common);
  let looks = 0;
  const options = { quietMs: 50, checkMs: 3_600_000, onIngested: () => void (looks += 1) };
  const watching = records.watch(options);
  await until(async () => looks > 0);
  at.save("people/anna/_index.md", "---\nname: Anna\n---\n");
  await until(async () => at.read("people/anna/_index.md").includes("rev:"));
  await watching.stop();
  expect(at.read("people/anna/_index.md")).toContain("rev:");
  expect(warn).not.toHaveBeenCalled();
});

test("watching without events: the next check finds the edit", async () => {
  vi.mocked(watch).mockImplementation(() => {
    throw new Error("no events on this system");
  });
  await using at = await openTestRecords();
  await at.say(target, { name: "Acme", city: "Köln" });
  let looks = 0;
  const watching = at.records.watch({ checkMs: 60_000, onIngested: () => void (looks += 1) });
  await until(async () => looks > 0);
  at.edit(file, (text) => text.replace("Köln", "Bonn"));
  await at.clock.advance(61_000);
  await until(async () => (await valuesOf(at.ledger, target))["city"] === "Bonn");
  expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Bonn" });
  await watching.stop();
  expect(at.clock.pendingTimers()).toBe(0);
});
