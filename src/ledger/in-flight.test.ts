import { expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryDisk } from "./testing/memory-disk.ts";
import type { LedgerDisk } from "./journal/disk.ts";
import { openLedger } from "./ledger.ts";

import { valuesOf } from "./testing/test-ledger.ts";

const target = "company/a";
const set = (value: string) => ({ source: "system", changes: [{ target, field: "f", value }] });

/** A ledger whose disk takes its time, and may fail in the end. */
async function openSlow() {
  const memory = createMemoryDisk();
  let held: Promise<void> = Promise.resolve();
  const disk: LedgerDisk = {
    ...memory,
    async append(name, bytes) {
      await held;
      await memory.append(name, bytes);
    },
  };
  const [clock, random, log] = [createTestClock(), createSeededRandom(5), silentLogger];
  const ledger = await openLedger({ disk, clock, random, log, label: "test" });
  return { ledger, hold: (until: Promise<void>) => void (held = until) };
}

test("what is on its way to the disk is not shown before it is there", async () => {
  const { ledger, hold } = await openSlow();
  await ledger.write(set("old"));
  let isThere = false;
  let arrive = () => {};
  hold(new Promise((resolve) => (arrive = resolve)));
  const writing = ledger.write(set("new")).then(() => (isThere = true));
  await new Promise(setImmediate);
  const reading = valuesOf(ledger, target).then((values) => ({ values, isThere }));
  await new Promise(setImmediate);
  arrive();
  expect(await reading).toEqual({ values: { f: "new" }, isThere: true });
  await writing;
});

test("what fails on its way was never shown", async () => {
  const { ledger, hold } = await openSlow();
  await ledger.write(set("old"));
  let fail = () => {};
  hold(new Promise((_, reject) => (fail = () => reject(new Error("full")))));
  const writing = expect(ledger.write(set("new"))).rejects.toThrow("full");
  await new Promise(setImmediate);
  const reading = valuesOf(ledger, target);
  await new Promise(setImmediate);
  hold(Promise.resolve());
  fail();
  expect(await reading).toEqual({ f: "old" });
  await writing;
});

test("a write of what is on its way to the disk is acknowledged only when that is there", async () => {
  const { ledger, hold } = await openSlow();
  let isThere = false;
  let arrive = () => {};
  hold(new Promise((resolve) => (arrive = resolve)));
  const first = ledger.write(set("new")).then(() => (isThere = true));
  await new Promise(setImmediate);
  const second = ledger.write(set("new")).then(({ datagrams }) => ({ datagrams, isThere }));
  await new Promise(setImmediate);
  arrive();
  expect(await second).toEqual({ datagrams: [], isThere: true });
  await first;
});

test("a write of what failed on its way to the disk is written again", async () => {
  const { ledger, hold } = await openSlow();
  let fail = () => {};
  hold(new Promise((_, reject) => (fail = () => reject(new Error("full")))));
  const first = expect(ledger.write(set("new"))).rejects.toThrow("full");
  await new Promise(setImmediate);
  const second = ledger.write(set("new"));
  await new Promise(setImmediate);
  hold(Promise.resolve());
  fail();
  expect((await second).datagrams).toHaveLength(1);
  expect(await valuesOf(ledger, target)).toEqual({ f: "new" });
  await first;
});
