import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryDisk } from "../testing/memory-disk.ts";
import { openLedger, type Ledger } from "../ledger.ts";
import { openTestLedger, valuesOf } from "../testing/test-ledger.ts";
import type { RecordRange } from "./exchange.ts";

const target = "company/a";
const source = "site:https://a.b";
const set = (ledger: Ledger, value: unknown, field = "f") =>
  ledger.write({ source, changes: [{ target, field, value }] });
/** A commit of several fields. */
const setAll = (ledger: Ledger, fields: readonly string[], value: unknown) =>
  ledger.write({ source, changes: fields.map((field) => ({ target, field, value })) });

const everything = { from: 1, to: Infinity, bytesMax: Infinity };
async function rangesOf(ledger: Ledger): Promise<readonly RecordRange[]> {
  const found = [...ledger.exchange.vector().keys()].map((origin) =>
    ledger.exchange.read({ origin, ...everything }),
  );
  return (await Promise.all(found)).filter((range) => range !== undefined);
}
async function onlyRange(ledger: Ledger): Promise<RecordRange> {
  const ranges = await rangesOf(ledger);
  expect(ranges).toHaveLength(1);
  return ranges[0]!;
}
const part = ({ origin, from, records }: RecordRange, first: number, last: number) => ({
  origin,
  from: first,
  records: records.slice(first - from, last - from + 1),
});
const journals = (files: ReadonlyMap<string, Uint8Array>) =>
  [...files].filter(([name]) => name.startsWith("wal/")).sort(([a], [b]) => (a < b ? -1 : 1));

describe("what a ledger hands to others", () => {
  test("the same bytes as in its journal, from a number on, as many as fit, one at least", async () => {
    const files = new Map<string, Uint8Array>();
    await using ledger = await openTestLedger({ files });
    for (const value of ["a", "␟ü\u001e\n", "c"]) await set(ledger, value);
    const { origin, records } = await onlyRange(ledger);
    const [, journal] = journals(files)[0]!;
    expect(Buffer.from(journal).toString()).toContain(Buffer.concat(records).toString());
    expect(records).toHaveLength(3);
    const bytesMax = records[1]!.byteLength + records[2]!.byteLength - 1;
    const read = (from: number, to: number, bytes = bytesMax) =>
      ledger.exchange.read({ origin, from, to, bytesMax: bytes });
    expect(await read(2, 9)).toEqual({ origin, from: 2, records: [records[1]] });
    expect(await read(1, 1, 1)).toEqual({ origin, from: 1, records: [records[0]] });
    expect(await read(2, 9, bytesMax + 1)).toMatchObject({ records: { length: 2 } });
    expect(await read(4, 9)).toBeUndefined();
    expect(await ledger.exchange.read({ origin: "x/y", ...everything })).toBeUndefined();
  });

  test("followers get what was written, once it is on the disk, in order", async () => {
    const files = new Map<string, Uint8Array>();
    const disk = createMemoryDisk({ files });
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const held = {
      ...disk,
      append: (name: string, bytes: Uint8Array) => opened.then(() => disk.append(name, bytes)),
    };
    const options = { clock: createTestClock(), random: createSeededRandom(6), log: silentLogger };
    await using ledger = await openLedger({ ...options, disk: held, label: "t" });
    const reported: number[] = [];
    const stop = ledger.exchange.follow(({ from, records }) => {
      const onDisk = Buffer.from(journals(files)[0]![1]).toString();
      for (const record of records) expect(onDisk).toContain(Buffer.from(record).toString());
      reported.push(...records.map((_, index) => from + index));
    });
    const writing = Promise.all([set(ledger, 1), setAll(ledger, ["a", "b"], 2), set(ledger, 3)]);
    await expect.poll(() => [...ledger.vector().values()]).toEqual([4]);
    // What is not on the disk yet is not sent.
    expect([[...ledger.exchange.vector()], reported]).toEqual([[], []]);
    open();
    await writing;
    expect(reported).toEqual([1, 2, 3, 4]);
    expect([...ledger.exchange.vector().values()]).toEqual([4]);
    stop();
    await set(ledger, 4);
    expect(reported).toHaveLength(4);
  });
});

describe("what a ledger takes from others", () => {
  test("it has the same facts, and the same bytes under the same name and numbers", async () => {
    const [mine, theirs] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
    await using author = await openTestLedger({ files: mine });
    await using other = await openTestLedger({ files: theirs });
    await set(author, 1);
    await setAll(author, ["a", "b"], 2);
    await other.exchange.receive(await onlyRange(author));
    expect(await other.digest()).toBe(await author.digest());
    expect(journals(theirs)).toEqual(journals(mine));
    expect(other.exchange.vector()).toEqual(author.exchange.vector());
    // It is in the bucket's care of its author alone.
    expect(other.status().unpublished).toBe(0);
    await using again = await openTestLedger({ files: theirs });
    expect(await again.digest()).toBe(await author.digest());
  });

  test("cut anywhere, a commit is used whole or not at all", async () => {
    await using author = await openTestLedger();
    await setAll(author, ["a", "b", "c"], 1);
    await setAll(author, ["a", "b", "c"], 2);
    const whole = await onlyRange(author);
    for (let cut = 1; cut < 6; cut++) {
      const files = new Map<string, Uint8Array>();
      await using other = await openTestLedger({ files });
      await other.exchange.receive(part(whole, 1, cut));
      const seen = await valuesOf(other, target);
      expect(Object.values(seen)).toEqual(cut < 3 ? [] : [1, 1, 1]);
      // What is begun counts while it runs, and is asked for again by the next life.
      expect(other.exchange.vector().get(whole.origin)).toBe(cut);
      await using next = await openTestLedger({ files: new Map(files) });
      expect(next.exchange.vector().get(whole.origin) ?? 0).toBe(cut < 3 ? 0 : 3);
      await other.exchange.receive(part(whole, cut + 1, 6));
      expect(await other.digest()).toBe(await author.digest());
    }
  });

  test("of what is beyond a hole nothing is kept", async () => {
    await using author = await openTestLedger();
    for (const value of [1, 2, 3]) await set(author, value);
    const whole = await onlyRange(author);
    const files = new Map<string, Uint8Array>();
    await using other = await openTestLedger({ files });
    await other.exchange.receive(part(whole, 2, 3));
    expect(journals(files)).toEqual([]);
    expect([...other.exchange.vector()]).toEqual([]);
    await other.exchange.receive(part(whole, 1, 1));
    await other.exchange.receive(part(whole, 3, 3));
    expect([...other.exchange.vector().values()]).toEqual([1]);
  });

  test("gossip loop-back: what comes back to its author changes nothing", async () => {
    const [mine, theirs] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
    await using author = await openTestLedger({ files: mine });
    await using other = await openTestLedger({ files: theirs });
    await set(author, 1);
    await setAll(author, ["a", "b"], 2);
    await other.exchange.receive(await onlyRange(author));
    const before = {
      journals: journals(mine),
      status: author.status(),
      digest: await author.digest(),
      log: [...(await author.log({ from: 0, limit: Infinity }))],
    };
    for (let round = 0; round < 3; round++) {
      for (const range of await rangesOf(other)) await author.exchange.receive(range);
    }
    const after = {
      journals: journals(mine),
      status: author.status(),
      digest: await author.digest(),
      log: [...(await author.log({ from: 0, limit: Infinity }))],
    };
    expect(after).toEqual(before);
    // And its next write continues from its own last one.
    expect((await set(author, 5)).datagrams).toMatchObject([{ number: 4 }]);
  });

  test("another who writes as this very process is refused: its numbers would mean two things", async () => {
    await using author = await openTestLedger();
    await set(author, 1);
    const files = new Map<string, Uint8Array>();
    const options = { clock: createTestClock(), label: "t", log: silentLogger };
    const copy = () =>
      openLedger({ ...options, random: createSeededRandom(4), disk: createMemoryDisk({ files }) });
    await using first = await copy();
    const clone = await openLedger({
      ...options,
      random: createSeededRandom(4),
      disk: createMemoryDisk(),
    });
    await set(first, "one");
    await set(clone, "two");
    await set(clone, "three");
    const range = await onlyRange(clone);
    await expect(first.exchange.receive(range)).rejects.toMatchObject({
      kind: "conflict",
      code: "ledger_session_twice",
    });
    expect(await valuesOf(first, target)).toEqual({ f: "one" });
  });

  test("lesson 46: what is ahead of its time is held back, and counts in its time", async () => {
    const clock = createTestClock();
    const early = createTestClock();
    early.step(clock.nowMs() - early.nowMs() + 7_200_000);
    await using author = await openTestLedger({ clock: early });
    await using other = await openTestLedger({ clock });
    await set(author, "of tomorrow");
    await other.exchange.receive(await onlyRange(author));
    expect(await valuesOf(other, target)).toEqual({});
    expect(other.quarantine()).toHaveLength(1);
    // Passed on unchanged.
    expect(await onlyRange(other)).toEqual(await onlyRange(author));
    await set(other, "of today");
    expect(await valuesOf(other, target)).toEqual({ f: "of today" });
    await clock.advance(7_200_000);
    await other.changedSince(undefined);
    expect(await valuesOf(other, target)).toEqual({ f: "of tomorrow" });
  });

  test("a thousand that come one by one share a few writes to the disk", async () => {
    await using author = await openTestLedger();
    for (let index = 0; index < 1_000; index++) await set(author, index);
    const whole = await onlyRange(author);
    const disk = createMemoryDisk();
    let appends = 0;
    const counting = {
      ...disk,
      append: (name: string, bytes: Uint8Array) => ((appends += 1), disk.append(name, bytes)),
    };
    const options = { clock: createTestClock(), random: createSeededRandom(9), log: silentLogger };
    await using other = await openLedger({ ...options, disk: counting, label: "t" });
    await Promise.all(
      whole.records.map((_, index) => other.exchange.receive(part(whole, index + 1, index + 1))),
    );
    expect(await other.digest()).toBe(await author.digest());
    expect(appends).toBeLessThanOrEqual(3);
  });

  test("a disk that fails: nothing is counted, and it can come again", async () => {
    await using author = await openTestLedger();
    for (const value of [1, 2, 3]) await set(author, value);
    const whole = await onlyRange(author);
    const disk = createMemoryDisk();
    let isFull = true;
    const failing = {
      ...disk,
      append: (name: string, bytes: Uint8Array) =>
        isFull ? Promise.reject(new Error("full")) : disk.append(name, bytes),
    };
    const options = { clock: createTestClock(), random: createSeededRandom(9), log: silentLogger };
    await using other = await openLedger({ ...options, disk: failing, label: "t" });
    const tried = await Promise.allSettled([
      other.exchange.receive(part(whole, 1, 2)),
      other.exchange.receive(part(whole, 3, 3)),
      other.exchange.receive(part(whole, 1, 1)),
    ]);
    expect(tried.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect([...other.exchange.vector()]).toEqual([]);
    isFull = false;
    await other.exchange.receive(whole);
    expect(await other.digest()).toBe(await author.digest());
  });

  test("in whatever pieces and order, however often: all have the same in the end", async () => {
    const step = fc.record({ from: fc.nat({ max: 2 }), to: fc.nat({ max: 2 }), cut: fc.nat() });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(step, fc.nat({ max: 2 })), { maxLength: 30 }), (steps) =>
        play(steps),
      ),
      { numRuns: 60 },
    );
  });
});

/** A number: that one writes. A step: one sends a piece of all it has, from anywhere, to another. */
async function play(
  steps: readonly (number | { from: number; to: number; cut: number })[],
): Promise<void> {
  const ledgers = await Promise.all([0, 1, 2].map(() => openTestLedger()));
  for (const [at, one] of steps.entries()) {
    if (typeof one === "number") {
      await setAll(ledgers[one]!, ["f", "g", `own${one}`].slice(0, (at % 3) + 1), at);
      continue;
    }
    for (const range of await rangesOf(ledgers[one.from]!)) {
      const first = 1 + (one.cut % range.records.length);
      const last = first + ((one.cut >> 3) % 3);
      await ledgers[one.to]!.exchange.receive(part(range, first, last));
    }
  }
  for (let round = 0; round < 2; round++) {
    for (const from of ledgers) {
      for (const range of await rangesOf(from)) {
        for (const to of ledgers) await to.exchange.receive(range);
      }
    }
  }
  const digests = await Promise.all(ledgers.map((ledger) => ledger.digest()));
  expect(new Set(digests).size).toBe(1);
}
