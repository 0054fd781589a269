import { writeSync } from "node:fs";
import { expect, test } from "vitest";
import { createCrashRecord, readInFlight, type RecordedLease } from "./crash-record.ts";
import { openFile } from "../testing/record-file.ts";

const info = { worker: "node.0.7", kinds: ["page", "größe"], burst: 50, leaseMs: 60_000 };

const token = 1_753_000_000_000 * 1_024 + 5;
const lease = (id: number, more: { kind?: string; attempts?: number } = {}): RecordedLease => ({
  lease: { id, token, kind: more.kind ?? "page", used: 2, attemptsMax: 5 },
  attempts: more.attempts ?? 1_000,
  slot: -1,
});

test("what was written is read: the worker, its claim, its leases, which have started", () => {
  const fd = openFile();
  expect(readInFlight(fd)).toBeUndefined();
  const record = createCrashRecord(fd, info);
  expect(readInFlight(fd)).toEqual({ ...info, claim: undefined, leases: [], ended: [] });
  record.claiming({ requestId: "abc.17", limit: 10 });
  expect(readInFlight(fd)?.claim).toEqual({ requestId: "abc.17", limit: 10 });

  const leases = [lease(1), lease(2, { kind: "größe", attempts: 3 }), lease(9_007_199_254_740_991)];
  record.claimed(leases);
  record.starting([leases[1]!]);
  const known = { token, kind: "page", used: 2, attemptsMax: 5, hasStarted: false };
  expect(readInFlight(fd)).toMatchObject({
    claim: undefined,
    leases: [
      { ...known, id: 1 },
      // The lower of the task's limit and its handler's.
      { ...known, id: 2, kind: "größe", attemptsMax: 3, hasStarted: true },
      { ...known, id: 9_007_199_254_740_991 },
    ],
  });
});

test("any number of leases come and go; at the end those are left that could not be released", () => {
  const fd = openFile();
  const record = createCrashRecord(fd, info);
  const all = Array.from({ length: 1_000 }, (_, at) => lease(at + 1));
  record.claimed(all);
  for (const one of all.slice(0, 999)) record.ended(one, "done");
  const later = Array.from({ length: 500 }, (_, at) => lease(2_000 + at));
  record.claimed(later);
  record.starting(later);
  const found = readInFlight(fd)!.leases;
  const started = found.filter(({ hasStarted }) => hasStarted).map(({ id }) => id);
  expect(started.sort((a, b) => a - b)).toEqual(later.map((one) => one.lease.id));
  expect(found.map(({ id }) => id)).toContain(1_000);
  for (const one of later) record.ended(one, "failed");
  record.save();
  expect(readInFlight(fd)).toMatchObject({
    leases: [{ id: 1_000 }],
    ended: [
      { kind: "page", end: "done", count: 999 },
      { kind: "page", end: "failed", count: 500 },
    ],
  });
});

test("counts are read by kind and end", () => {
  const fd = openFile();
  const record = createCrashRecord(fd, info);
  for (const [at, end] of (["done", "done", "lost"] as const).entries()) {
    const one = lease(at + 1);
    record.claimed([one]);
    record.ended(one, end);
  }
  const other = lease(9, { kind: "größe" });
  record.claimed([other]);
  record.ended(other, "retried");
  record.save();
  expect(readInFlight(fd)!.ended).toEqual([
    { kind: "page", end: "done", count: 2 },
    { kind: "page", end: "lost", count: 1 },
    { kind: "größe", end: "retried", count: 1 },
  ]);
});

test("at every moment a lease is either listed or counted, also in a write that was cut", () => {
  const fd = openFile();
  // Each call writes one page at most, as the kernel may when it is interrupted by a kill.
  const cutAfter = { writes: Infinity };
  const record = createCrashRecord(fd, info, ((...args: unknown[]) => {
    const [file, bytes, from, length, position] = args as [number, Buffer, number, number, number];
    for (let done = 0; done < length;) {
      if (cutAfter.writes-- <= 0) return done;
      const part = Math.min(length - done, 4_096 - ((position + done) % 4_096));
      done += writeSync(file, bytes, from + done, part, position + done);
    }
    return length;
  }) as typeof writeSync);
  const all = Array.from({ length: 500 }, (_, at) =>
    lease(at + 1, { kind: at % 3 === 0 ? "größe" : "page" }),
  );
  record.claimed(all);
  record.starting(all);
  all.forEach((one, at) => record.ended(one, at % 2 === 0 ? "done" : "retried"));
  cutAfter.writes = 3;
  record.save();
  const { leases, ended } = readInFlight(fd)!;
  expect(leases.length).toBeGreaterThan(0);
  expect(leases.length).toBeLessThan(500);
  expect(leases.length + ended.reduce((sum, { count }) => sum + count, 0)).toBe(500);
});

test("a record that could not be written says nothing, rather than something wrong", () => {
  const fd = openFile();
  let isFull = false;
  const record = createCrashRecord(fd, info, ((...args: Parameters<typeof writeSync>) => {
    if (isFull) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    return writeSync(...args);
  }) as typeof writeSync);
  const one = lease(1);
  record.claimed([one]);
  expect(readInFlight(fd)!.leases).toHaveLength(1);
  isFull = true;
  record.starting([one]); // or a task that runs would be taken for one that does not
  isFull = false;
  record.claimed([lease(2)]);
  expect(readInFlight(fd)).toBeUndefined();
});
