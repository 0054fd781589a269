import { describe, expect, test } from "vitest";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";

const source = "hand:anna";
const hour = 3_600_000;
const momentAt = (at: TestRecords, hours: number) =>
  new Date(at.clock.nowMs() + hours * hour).toISOString();
const call = (at: TestRecords, more: { outcome?: string; callback?: string; isDone?: boolean }) =>
  at.records.addEntry({ name: "acme", kind: "call", source, text: "x", ...more });
const callbackNow = async (at: TestRecords, name = "acme") =>
  (await at.records.company(name))?.callback;

async function openAcme(): Promise<TestRecords> {
  const at = await openTestRecords();
  await at.records.create({ source, fields: { name: "Acme", "phone/+15125550100": true } });
  return at;
}

describe("a callback", () => {
  test("is over when a call was logged at its moment or later, also if only the file has it", async () => {
    await using at = await openAcme();
    await call(at, { outcome: "voicemail", callback: momentAt(at, 2) });
    await at.clock.advance(hour);
    await call(at, { outcome: "no-answer" });
    expect(await callbackNow(at)).toBeDefined();
    await at.clock.advance(2 * hour);
    await call(at, { outcome: "no-answer" });
    expect(await callbackNow(at)).toBeUndefined();
    expect(at.read("companies/acme/_index.md")).not.toContain("callback:");
    // Importing an old list brings it back, although it is done.
    await at.say("company/x", { name: "Best", callback: momentAt(at, -1) });
    at.save("companies/best/calls/2030-01-01 Spoke.md", "It was fine\n");
    await at.records.ingest();
    expect(await callbackNow(at, "best")).toBeUndefined();
  });

  test("that was promised in a call which is logged after its moment is still to be made", async () => {
    await using at = await openAcme();
    await call(at, { outcome: "voicemail", callback: momentAt(at, -2) });
    expect(await callbackNow(at)).toBe(momentAt(at, -2));
    await call(at, { outcome: "no-answer" });
    expect(await callbackNow(at)).toBeUndefined();
  });

  test("ends when somebody was reached earlier, or a user marks it as done", async () => {
    await using at = await openAcme();
    await call(at, { callback: momentAt(at, 48) });
    await call(at, { outcome: "reached" });
    expect(await callbackNow(at)).toBeUndefined();
    await call(at, { callback: momentAt(at, 48) });
    await call(at, { isDone: true });
    expect(await callbackNow(at)).toBeUndefined();
    const next = momentAt(at, 24);
    await call(at, { outcome: "reached", callback: next });
    expect(await callbackNow(at)).toBe(next);
  });

  test("of two that are merged is the earlier one that is still open", async () => {
    await using at = await openAcme();
    const [early, late] = [momentAt(at, 1), momentAt(at, 72)];
    await call(at, { callback: late });
    await at.records.create({ source, fields: { name: "Best", callback: early } });
    await at.records.merge({ from: "best", into: "acme", source });
    expect(await callbackNow(at)).toBe(early);
    // A callback that is done is not kept.
    await at.records.create({ source, fields: { name: "Third", callback: momentAt(at, -100) } });
    await at.records.addEntry({ name: "third", kind: "call", source, text: "done" });
    await at.records.merge({ from: "third", into: "acme", source });
    expect(await callbackNow(at)).toBe(early);
  });
});
