// inputs: src/ledger/** src/base/** src/config/** src/bucket/** src/usv/**
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import type { RecordRange } from "../../exchange/exchange.ts";
import type { Ledger } from "../../ledger.ts";
import { openTestLedger, valuesOf } from "../../testing/test-ledger.ts";
import { openTestSharedLedger } from "../../testing/test-shared-ledger.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-door-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => openTestSharedLedger(folder);
const source = "site:https://a.b";
const set = (ledger: Ledger, field: string, value: unknown) =>
  ledger.write({ source, changes: [{ target: "company/a", field, value }] });
const readAll = async (ledger: Ledger) => {
  const [origin = ""] = ledger.exchange.vector().keys();
  return (await ledger.exchange.read({ origin, from: 1, to: Infinity, bytesMax: Infinity }))!;
};
const part = ({ origin, from, records }: RecordRange, first: number, last: number) => ({
  origin,
  from: first,
  records: records.slice(first - from, last - from + 1),
});
/** Numbers that a follower was told, of one node whatever its session. */
function follow(ledger: Ledger) {
  const told: string[] = [];
  ledger.exchange.follow(({ records }) => {
    for (const record of records) told.push(Buffer.from(record).toString().split("\u001f")[6]!);
  });
  return told;
}

describe("an exchange through the door", () => {
  test("a process that does not hold the ledger follows the writes of all processes", async () => {
    await using first = await open();
    await using second = await open();
    await using third = await open();
    const told = follow(second);
    await set(second, "begin", 1); // by then it is followed
    await Promise.all([set(first, "one", 1), set(second, "two", 2), set(third, "three", 3)]);
    await expect.poll(() => told.toSorted()).toEqual(["begin", "one", "three", "two"]);
    // What it was told of is in its vector, at once: who hears of it may ask for it.
    expect([...second.exchange.vector().values()]).toEqual([4]);
    expect((await readAll(second)).records).toEqual((await readAll(first)).records);
  });

  test("what it takes is durable with the holder, whole, and in its vector when it resolves", async () => {
    await using author = await openTestLedger();
    const changes = ["a", "b", "c"].map((field) => ({ target: "company/x", field, value: "ü␟" }));
    await author.write({ source, changes });
    const whole = await readAll(author);
    await using holder = await open();
    await using guest = await open();
    await guest.exchange.receive(part(whole, 1, 2));
    expect(await valuesOf(holder, "company/x")).toEqual({});
    expect([...guest.exchange.vector().values()]).toEqual([2]);
    await guest.exchange.receive(part(whole, 3, 3));
    expect([...guest.exchange.vector().values()]).toEqual([3]);
    expect(await valuesOf(holder, "company/x")).toEqual({ a: "ü␟", b: "ü␟", c: "ü␟" });
    expect([...holder.exchange.vector()]).toEqual([[whole.origin, 3]]);
    await expect(guest.exchange.receive({ ...whole, from: 4 })).rejects.toMatchObject({
      kind: "corrupt",
    });
  });

  test("when the holder goes, it follows the next one, or is that itself", async () => {
    const first = await open();
    await using second = await open();
    await using third = await open();
    const [bySecond, byThird] = [follow(second), follow(third)];
    await set(second, "one", 1);
    await set(third, "two", 2);
    await first[Symbol.asyncDispose]();
    // Nobody asks for anything: who follows finds a holder by itself.
    await expect
      .poll(async () => {
        await set(second, `s${systemClock.monotonicMs()}`, 1);
        await set(third, `t${systemClock.monotonicMs()}`, 1);
        return [bySecond, byThird].map((all) => new Set(all.slice(-2).map((one) => one[0])));
      })
      .toEqual([new Set(["s", "t"]), new Set(["s", "t"])]);
    // Each write once.
    expect(new Set(byThird).size).toBe(byThird.length);
  });

  test("whoever takes the ledger for its bucket, the others go on to follow and to take", async () => {
    await using bucket = createMemoryBucket({ clock: systemClock });
    await using author = await openTestLedger();
    await set(author, "one", 1);
    await using first = await open();
    await using second = await open();
    const told = follow(first);
    await second.withBucket(bucket).sync();
    await expect
      .poll(async () => {
        await set(second, `s${systemClock.monotonicMs()}`, 1);
        return told.length;
      })
      .toBeGreaterThan(0);
    await first.exchange.receive(await readAll(author));
    expect(await valuesOf(second, "company/a")).toMatchObject({ one: 1 });
  });
});
