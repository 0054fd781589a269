import { expect, test } from "vitest";
import type { TargetView } from "../../ledger/index.ts";
import { batchLine, evaluate, sumUp } from "./batch.ts";
import { visitField } from "../../records/index.ts";
import { extractorVersion, isVisitFresh } from "./visit-freshness.ts";

const at = "2026-11-16T08:00:00.000Z";
const view = (fields: Readonly<Record<string, readonly [unknown, string]>>): TargetView => ({
  target: "company/a",
  isForgotten: false,
  mergedInto: undefined,
  conflicts: [],
  fields: Object.entries(fields).map(([field, [value, source]]) => {
    return { field, value, source, stamp: "", node: "", dot: "" };
  }),
});
const before = view({
  "email/old@a.com": [true, "site:https://a.com/"],
  "email/place@a.com": [true, "place:p/1"],
  "tag/vip": [true, "hand:x"],
});
const visited = (outcome: string, seen: readonly string[], when = at) => ({
  [visitField]: [{ at: when, outcome, version: 1, pages: 1, seen }, "site:https://a.com/"] as const,
});
const after = (outcome: string, seen: readonly string[], when = at) =>
  view({
    ...Object.fromEntries(
      before.fields.map(({ field, value, source }) => [field, [value, source]]),
    ),
    "email/new@a.com": [true, "site:https://a.com/"],
    ...visited(outcome, seen, when),
  });

test("found is what was not known, lost what its site had shown and does not show any more", () => {
  const line = batchLine(before, "https://a.com/");
  expect(line.known).toEqual(["email/old@a.com", "email/place@a.com"]);
  expect(evaluate(line, after("done", ["email/new@a.com"]), at)).toMatchObject({
    outcome: "done",
    found: ["email/new@a.com"],
    lost: ["email/old@a.com"],
  });
});

test("lesson 42: a site that could not be read, or did not change, has lost nothing", () => {
  const line = batchLine(before, "https://a.com/");
  for (const outcome of ["unreachable", "blocked", "robots", "parked", "not_modified"]) {
    expect(evaluate(line, after(outcome, []), at)).toMatchObject({ outcome, lost: [] });
  }
});

test("a former miss that has an address now is recovered; one that had an address is not", () => {
  const miss = view({ "phone/+15125550100": [true, "place:p/1"] });
  const line = batchLine(miss, "https://a.com/");
  const recovered = evaluate(line, after("done", ["email/new@a.com"]), at);
  expect(recovered.isRecovered).toBe(true);
  const known = evaluate(batchLine(before, "https://a.com/"), after("done", []), at);
  expect(known).not.toHaveProperty("isRecovered");
  expect(sumUp([recovered, known])).toMatchObject({ recovered: 1, found: 2 });
});

test("a visit of before the batch is none of it", () => {
  const line = batchLine(before, "https://a.com/");
  const early = after("done", [], "2026-11-16T07:59:59.999Z");
  expect(evaluate(line, early, at)).toMatchObject({ outcome: "waiting", found: [], lost: [] });
});

test("the sums say how many were read, how many not, and what that brought", () => {
  const one = { target: "company/a", website: "https://a.com/" };
  const sums = sumUp([
    { ...one, outcome: "done", found: ["email/x@a.com", "phone/+1"], lost: ["email/y@a.com"] },
    { ...one, outcome: "not_modified", found: [], lost: [] },
    { ...one, outcome: "blocked", found: [], lost: [] },
    { ...one, outcome: "waiting", found: [], lost: [] },
  ]);
  expect(sums).toMatchObject({ companies: 4, waiting: 1, read: 2, unreachable: 1, changed: 1 });
  expect(sums).toMatchObject({ found: 1, lost: 1, emailsFound: 1, emailsLost: 1 });
});

test("a visit counts for its days, one in trouble for a week, and none of an older version", () => {
  const dayMs = 86_400_000;
  const nowMs = Date.parse(at) + 8 * dayMs;
  const record = { at, outcome: "done", version: extractorVersion, pages: 1, seen: [] } as const;
  expect(isVisitFresh(record, { ttlDays: 9, nowMs })).toBe(true);
  expect(isVisitFresh(record, { ttlDays: 8, nowMs })).toBe(false);
  expect(isVisitFresh({ ...record, outcome: "blocked" }, { ttlDays: 90, nowMs })).toBe(false);
  expect(isVisitFresh({ ...record, version: extractorVersion - 1 }, { ttlDays: 90, nowMs })).toBe(
    false,
  );
});
