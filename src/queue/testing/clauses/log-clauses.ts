import { expect } from "vitest";
import { logEntryOf } from "../../read/log-entry.ts";
import { bulkRowsMax } from "../../operation.ts";
import type { FinishInput } from "../../queue.ts";
import {
  type QueueClause,
  type QueueFixture,
  keysOf,
  statusesOf,
  work,
  works,
} from "../suite-fixture.ts";

const all = { states: ["done", "skipped", "failed"] } as const;

/** Finished tasks: first rows, then log entries, and keys that stay reserved. */
export function logClauses(clause: QueueClause): void {
  clause("A10: an archived task leaves its row and stays in the log", async (at) => {
    await at.add(work("a", { job: "j", gate: "g", attemptsMax: 3, payload: { long: "text" } }));
    const { id, createdAtMs } = await at.find("a");
    const first = await at.claimOne();
    await at.finish(first, { kind: "retry", delayMs: 0, reason: "again" });
    await at.time.advance(2_000);
    await at.finish(await at.claimOne(), { kind: "fail", reason: "boom" });
    const { finishedAtMs, attempts } = await at.find("a");
    const before = await at.queue.log();
    expect(await at.queue.archive(all)).toBe(1);
    expect(await at.queue.browse()).toEqual([]);
    expect(await at.queue.ended()).toEqual([]);
    expect(await at.queue.show(id)).toBeUndefined();
    const entry = {
      id,
      kind: "work",
      job: "j",
      gate: "g",
      key: "a",
      state: "failed",
      createdAtMs,
      finishedAtMs,
      used: 2,
      attemptsMax: 3,
      attempts,
    };
    expect(attempts.map(({ reason }) => reason)).toEqual(["again", "boom"]);
    expect(await at.queue.log()).toEqual([entry]);
    expect(before).toEqual([entry]);
  });

  clause(
    "A10: the log and the rows are read as one, in the order in which tasks ended",
    async (at) => {
      await finishSome(at, ["a", "b", "c", "d", "e"]);
      await at.queue.archive({ ...all, ids: [(await at.find("b")).id, (await at.find("d")).id] });
      const keys = async (query: Parameters<typeof at.queue.log>[0]) =>
        keysOf(await at.queue.log(query));
      expect(await keys({})).toEqual(["a", "b", "c", "d", "e"]);
      expect(await keys({ isNewestFirst: true, limit: 3 })).toEqual(["e", "d", "c"]);
      const [, second] = await at.queue.log({ limit: 2 });
      expect(await keys({ after: second!, limit: 2 })).toEqual(["c", "d"]);
      expect(await keys({ after: second!, isNewestFirst: true })).toEqual(["a"]);
    },
  );

  clause("an archived task is found by its id, in the log only", async (at) => {
    await finishSome(at, ["a", "b"]);
    const [a, b] = [await at.find("a"), await at.find("b")];
    await at.queue.archive({ ...all, ids: [a.id] });
    expect(await at.queue.show(a.id)).toBeUndefined();
    expect(await at.queue.logEntry(a.id)).toEqual(logEntryOf(a));
    expect(await at.queue.logEntry(b.id)).toBeUndefined();
    expect(await at.queue.logEntry(999)).toBeUndefined();
    expect(await (await at.another()).logEntry(a.id)).toEqual(logEntryOf(a));
  });

  clause("the log is read by state, kind, job and gate", async (at) => {
    await finishSome(at, ["plain"]);
    await finishSome(at, ["job"], { job: "j" });
    await finishSome(at, ["gate"], { gate: "g" });
    await finishSome(at, ["kind"], { kind: "other" });
    await finishSome(at, ["skipped"], {}, { kind: "skip", reason: "none" });
    await at.queue.archive(all);
    const keys = async (query: Parameters<typeof at.queue.log>[0]) =>
      keysOf(await at.queue.log(query));
    expect(await keys({ job: "j" })).toEqual(["job"]);
    expect(await keys({ gate: "g" })).toEqual(["gate"]);
    expect(await keys({ kind: "other" })).toEqual(["kind"]);
    expect(await keys({ states: ["skipped"] })).toEqual(["skipped"]);
    expect(await keys({ states: ["failed"] })).toEqual([]);
  });

  clause("lesson 71: the key of an archived task stays reserved", async (at) => {
    await finishSome(at, ["a"], { job: "j", gate: "g" });
    await at.queue.archive(all);
    const { raises } = await at.queue.stats();
    expect(statusesOf(await at.queue.add([work("a", { job: "j", gate: "g" })]))).toEqual([
      "duplicate",
    ]);
    expect((await at.queue.stats()).raises.unchanged).toBe(raises.unchanged + 1);
    // A key belongs to its job and gate, whatever the kind.
    const others = [
      work("a", { job: "j", gate: "g", kind: "other" }),
      work("a", { job: "j" }),
      work("a", { gate: "g" }),
      work("b", { job: "j", gate: "g" }),
    ];
    expect(statusesOf(await at.queue.add(others))).toEqual([
      "duplicate",
      "added",
      "added",
      "added",
    ]);
  });

  clause("a reserved key is a duplicate among many new ones, and in a finish", async (at) => {
    await finishSome(at, ["n7", "n93"]);
    await at.queue.archive(all);
    const answers = await at.queue.add(works("n", 100));
    const duplicates = answers.flatMap(({ status }, index) =>
      status === "duplicate" ? index : [],
    );
    expect(duplicates).toEqual([7, 93]);
    expect(answers.filter(({ status }) => status === "added")).toHaveLength(98);
    const lease = await at.claimOne({ limit: 1 });
    await at.finish(lease, undefined, { add: [work("n7"), work("more")] });
    expect(keysOf(await at.queue.browse({ keyPrefix: "n7" }))).not.toContain("n7");
    expect(keysOf(await at.queue.browse({ keyPrefix: "more" }))).toEqual(["more"]);
  });

  clause("a reserved key of a bound job is known without its gate", async (at) => {
    await at.queue.openJob("j", { gate: "g" });
    await finishSome(at, ["a"], { job: "j" });
    await at.queue.archive(all);
    expect(statusesOf(await at.queue.add([work("a", { job: "j" })]))).toEqual(["duplicate"]);
    expect(statusesOf(await at.queue.add([work("a", { job: "j", gate: "g" })]))).toEqual([
      "duplicate",
    ]);
  });

  clause("a reserved key is a duplicate also where its job takes nothing more", async (at) => {
    await at.queue.openJob("j");
    await at.add(work("stays", { job: "j", delayMs: 1e9 }));
    await finishSome(at, ["a"], { job: "j" });
    await at.queue.archive(all);
    await at.queue.seal("j");
    const tasks = [work("a", { job: "j" }), work("b", { job: "j" })];
    expect(statusesOf(await at.queue.add(tasks))).toEqual(["duplicate", "closed"]);
  });

  clause("keys are reserved for other openers and for later ones", async (at) => {
    const other = await at.another();
    expect(statusesOf(await other.add([work("x")]))).toEqual(["added"]);
    await finishSome(at, ["x", "a"]);
    await at.queue.archive(all);
    expect(statusesOf(await other.add([work("a")]))).toEqual(["duplicate"]);
    expect(statusesOf(await (await at.another()).add([work("a")]))).toEqual(["duplicate"]);
  });

  clause("forgetKeys frees keys by age, and leaves the log alone", async (at) => {
    await finishSome(at, ["old"]);
    await at.time.advance(1_000);
    const momentMs = at.time.now().ms;
    await at.time.advance(1_000);
    await finishSome(at, ["new"]);
    await at.queue.archive(all);
    expect(await at.queue.forgetKeys({ ...all, finishedBeforeMs: momentMs })).toBe(1);
    expect(keysOf(await at.queue.log())).toEqual(["old", "new"]);
    expect(statusesOf(await at.queue.add([work("old"), work("new")]))).toEqual([
      "added",
      "duplicate",
    ]);
    expect(await at.queue.forgetKeys(all)).toBe(1);
    expect(await at.queue.forgetKeys(all)).toBe(0);
    expect(statusesOf(await at.queue.add([work("new")]))).toEqual(["added"]);
  });

  clause("purge frees keys, also of what was archived before, and leaves entries", async (at) => {
    await finishSome(at, ["archived", "other"], { job: "j" });
    await at.queue.archive(all);
    await finishSome(at, ["row"], { job: "j" });
    expect(await at.queue.purge({ ...all, job: "k" })).toBe(0);
    expect(await at.queue.purge({ ...all, job: "j" })).toBe(1);
    const tasks = works("", 0).concat(work("archived", { job: "j" }), work("row", { job: "j" }));
    expect(statusesOf(await at.queue.add(tasks))).toEqual(["added", "added"]);
    expect(keysOf(await at.queue.log())).toEqual(["archived", "other", "row"]);
  });

  clause("pruneLog alone removes entries of the log, and frees no key", async (at) => {
    await finishSome(at, ["a", "b"]);
    await at.time.advance(1_000);
    const momentMs = at.time.now().ms;
    await at.time.advance(1_000);
    await finishSome(at, ["c"]);
    await at.queue.archive({ ...all, ids: [(await at.find("a")).id, (await at.find("c")).id] });
    expect(await at.queue.logStats()).toMatchObject({ entries: 2, keptKeys: 2 });
    expect(await at.queue.pruneLog(momentMs)).toBe(1);
    // A task with a row has no log entry yet.
    expect(keysOf(await at.queue.log())).toEqual(["b", "c"]);
    expect(statusesOf(await at.queue.add([work("a"), work("c")]))).toEqual([
      "duplicate",
      "duplicate",
    ]);
  });

  clause("logStats says how much there is, and how old", async (at) => {
    expect(await at.queue.logStats()).toEqual({ entries: 0, oldestAtMs: 0, keptKeys: 0 });
    await finishSome(at, ["a"]);
    const { finishedAtMs } = await at.find("a");
    await at.time.advance(5_000);
    await finishSome(at, ["b"]);
    await at.queue.archive({ ...all, ids: [(await at.find("a")).id] });
    await at.queue.purge(all);
    expect(await at.queue.logStats()).toEqual({
      entries: 2,
      oldestAtMs: finishedAtMs,
      keptKeys: 0,
    });
  });

  clause("archiving, freeing keys and pruning go through any number in chunks", async (at) => {
    const count = bulkRowsMax + 3;
    await at.add(...works("a", count));
    for (let left = count; left > 0;) {
      const leases = await at.claim({ limit: 10_000 });
      await at.queue.finish(
        leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const })),
      );
      left -= leases.length;
    }
    const progress: number[] = [];
    const note = (changed: number) => void progress.push(changed);
    expect(await at.queue.archive(all, note)).toBe(count);
    expect(await at.queue.logStats()).toMatchObject({ entries: count, keptKeys: count });
    expect(await at.queue.forgetKeys(all, note)).toBe(count);
    await at.time.advance(1);
    expect(await at.queue.pruneLog(at.time.now().ms, note)).toBe(count);
    expect(progress).toEqual([bulkRowsMax, count, bulkRowsMax, count, bulkRowsMax, count]);
    expect(await at.queue.logStats()).toEqual({ entries: 0, oldestAtMs: 0, keptKeys: 0 });
  });

  clause("an ended job that was archived goes, and its name is free again", async (at) => {
    await at.queue.openJob("j");
    await finishSome(at, ["a"], { job: "j" });
    await at.queue.seal("j");
    expect((await at.queue.job("j"))?.ended).toBe("completed");
    await at.queue.archive(all);
    expect(await at.queue.job("j")).toBeUndefined();
    const tasks = [work("a", { job: "j" }), work("b", { job: "j" })];
    expect(statusesOf(await at.queue.add(tasks))).toEqual(["duplicate", "added"]);
  });

  clause("ids are not given again after their tasks were archived and pruned", async (at) => {
    await finishSome(at, ["a"]);
    const { id } = await at.find("a");
    await at.queue.purge(all);
    await at.time.advance(1);
    await at.queue.pruneLog(at.time.now().ms);
    const other = await at.another();
    await other.add([work("b")]);
    expect((await at.find("b")).id).not.toBe(id);
  });
}

/** Adds tasks and ends them one after the other, one millisecond apart. */
async function finishSome(
  at: QueueFixture,
  keys: readonly string[],
  more: Parameters<typeof work>[1] = {},
  outcome: FinishInput["outcome"] = { kind: "done" },
): Promise<void> {
  for (const key of keys) {
    await at.queue.add([work(key, more)]);
    const [lease] = await at.claim({ kinds: ["work", "other"] });
    await at.finish(lease!, outcome);
    await at.time.advance(1);
  }
}
