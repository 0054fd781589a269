// inputs: src/ledger/** src/base/**
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../../../base/app-error.ts";
import { systemClock } from "../../../base/clock.ts";
import type { Datagram } from "../../datagram/datagram.ts";
import type { Ledger } from "../../ledger.ts";
import { openTestLedger, valuesOf } from "../../testing/test-ledger.ts";
import { answerAsk, askSchema, type Ask } from "./asks.ts";
import type { DoorGuest } from "./door-guest.ts";
import { leftToWrite } from "./left-to-write.ts";
import { openSharedLedger, type Guest } from "./shared-ledger.ts";

/** What becomes of an ask. Lost before: it was never done; lost after: done, and nobody heard. */
type Fate = "answered" | "lost before" | "lost after";

/** A process that reaches the holder through a door that shuts now and then. */
function openThrough(ledger: Ledger, fateOf: (ask: Ask) => Fate | Promise<Fate>): Promise<Ledger> {
  const stand = async (): Promise<Guest> => {
    let shut = () => {};
    const gone = new Promise<void>((resolve) => (shut = resolve));
    const guest: DoorGuest = {
      async ask(ask) {
        const fate = await fateOf(ask);
        const sent = JSON.parse(JSON.stringify(ask)) as Ask;
        const value = fate === "lost before" ? undefined : await answerAsk(ledger, sent);
        if (fate === "answered") return value;
        shut();
        throw new AppError("unavailable", "door_shut", "the holder was killed");
      },
      mark: async () => ledger.status().highWater,
      look: () => ({
        status: ledger.status(),
        vector: ledger.vector(),
        limits: new Map(),
        quarantine: ledger.quarantine(),
      }),
      follow: () => {},
      gone,
      close: shut,
    };
    return { kind: "guest", guest };
  };
  return openSharedLedger({ clock: systemClock, stand });
}

const target = "company/a";
const source = "site:https://a.b";
const set = (ledger: Ledger, field: string, value: unknown) =>
  ledger.write({ source, changes: [{ target, field, value }] });
const valuesLogged = (log: readonly Datagram[], field: string) =>
  log.filter((one) => one.field === field).map(({ value }) => value);

describe("a write whose answer was lost", () => {
  test("is not written again, also where somebody else has changed the value since", async () => {
    await using ledger = await openTestLedger();
    await set(ledger, "f", 0);
    let times = 0;
    await using first = await openThrough(ledger, async (ask) => {
      if (ask.op !== "write") return "answered";
      times += 1;
      // The other one comes in between: after it was done, before it is asked again.
      if (times === 2) await set(ledger, "f", 2);
      return times === 1 ? "lost after" : "answered";
    });
    await set(first, "f", 1);
    expect(times).toBe(2);
    expect(valuesLogged(ledger.log(), "f")).toEqual(["0", "1", "2"]);
    expect(await valuesOf(first, target)).toEqual({ f: 2 });
  });

  test("that never came is written when it is asked again", async () => {
    await using ledger = await openTestLedger();
    await set(ledger, "f", 1);
    await set(ledger, "f", 2);
    const fates: Fate[] = ["lost before", "lost before"];
    await using first = await openThrough(ledger, () => fates.shift() ?? "answered");
    // The same value was there before: that one is not this one.
    await set(first, "f", 1);
    expect(valuesLogged(ledger.log(), "f")).toEqual(["1", "2", "1"]);
  });

  test("in any order of losses every value is logged once, and the last of each writer counts", async () => {
    const anyFate = fc.constantFrom<Fate>("answered", "answered", "lost before", "lost after");
    const anyStep = fc.record({ by: fc.nat(2), field: fc.nat(2), value: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 1, maxLength: 25 }),
        fc.array(anyFate, { maxLength: 60 }),
        async (steps, fates) => {
          await using ledger = await openTestLedger();
          const fateOf = (ask: Ask) => (ask.op === "write" && fates.pop()) || "answered";
          const writers = await Promise.all([0, 1, 2].map(() => openThrough(ledger, fateOf)));
          // All at once, so that those of one writer wait for each other and mix with the others'.
          await Promise.all(
            steps.map(({ by, field, value }) => set(writers[by]!, `f${by}${field}`, value)),
          );
          for (const by of [0, 1, 2]) {
            for (const field of [0, 1, 2]) {
              const own = steps.filter((step) => step.by === by && step.field === field);
              const changes = own.filter(({ value }, at) => value !== own[at - 1]?.value);
              const logged = valuesLogged(ledger.log(), `f${by}${field}`);
              expect(logged).toEqual(changes.map(({ value }) => String(value)));
            }
          }
          for (const writer of writers) await writer[Symbol.asyncDispose]();
        },
      ),
      { numRuns: 60 },
    );
  });

  test("only what the journal shows since then counts as written, value by value", async () => {
    await using ledger = await openTestLedger();
    const before = await set(ledger, "a", 1);
    const after = before.datagrams[0]!.stamp;
    await ledger.write({
      source,
      changes: [
        { target, field: "b", value: { y: 1, x: [2] } },
        { target, field: "a", unset: true },
      ],
    });
    const changes = [
      { target, field: "a", value: 1 },
      { target, field: "a2", unset: true as const },
      { target, field: "b", value: { x: [2], y: 1 } },
    ];
    expect(leftToWrite(ledger, { source, changes }, after).changes).toEqual(changes.slice(0, 2));
    const unset = [{ target, field: "a", unset: true as const }];
    expect(leftToWrite(ledger, { source, changes: unset }, after).changes).toEqual([]);
    const other = { source: "hand:anna", changes };
    expect(leftToWrite(ledger, other, after)).toEqual(other);
  });

  test("what a change says besides reaches the ledger as it was", () => {
    const change = { target, field: "f", value: { a: [1] }, more: "kept" };
    const ask = { op: "write", commit: { source, changes: [change] } };
    expect(askSchema.parse(ask)).toEqual(ask);
    for (const bad of [
      { ...change, target: 1 },
      { ...change, field: null },
      { ...change, unset: 1 },
    ]) {
      expect(askSchema.safeParse({ ...ask, commit: { source, changes: [bad] } }).success).toBe(
        false,
      );
    }
    expect(askSchema.safeParse({ op: "exec" }).success).toBe(false);
  });
});
