import { describe, expect, test } from "vitest";
import type { Task } from "../task.ts";
import {
  apart,
  blocksKept,
  finishedOnce,
  leasesUnique,
  withinLimit,
  worksOf,
} from "./race-checks.ts";
import type { QueueRaceEvent, RaceFact } from "./race-log.ts";

const at = (atMs: number, worker: string, fact: RaceFact): QueueRaceEvent => ({
  atMs,
  worker,
  ...fact,
});
const ref = (id: number, token = 1) => ({ id, token, gate: "g", job: "j" });
const start = (atMs: number, worker: string, id: number, token = 1) =>
  at(atMs, worker, { event: "start", ...ref(id, token) });
const end = (atMs: number, worker: string, id: number, token = 1) =>
  at(atMs, worker, { event: "end", ...ref(id, token) });
const claimed = (worker: string, id: number, token = 1, sentMs = 0) =>
  at(sentMs, worker, { event: "claimed", id, token, isSuspect: false, sentMs });
const finishing = (id: number, token = 1) =>
  at(5, "w1", { event: "finishing", outcome: "done", ...ref(id, token) });
const finished = (id: number, token: number, status: "done" | "lost") =>
  at(6, "w1", { event: "finished", outcome: "done", status, ...ref(id, token) });

const task = (id: number, changes: Partial<Task> = {}) =>
  ({
    id,
    token: 1,
    key: `k${id}`,
    job: "j",
    gate: "g",
    state: "done",
    used: 1,
    attemptsMax: 1,
    attempts: [{ reason: "worn out" }],
    ...changes,
  }) as Task;

describe("the checks of a race", () => {
  test("finishedOnce: one held finish by the last holder is right, killed or not", () => {
    expect(finishedOnce([task(1)], [finishing(1), finished(1, 1, "done")])).toEqual([]);
    expect(finishedOnce([task(1)], [finishing(1)])).toEqual([]);
  });

  test("finishedOnce: reports what is lost, done twice, or done by nobody", () => {
    const sent = [finishing(1), finishing(1, 2)];
    expect(finishedOnce([task(1, { state: "failed" })], sent)).toEqual([
      "task 1 (k1) ended as failed, 1 of 1 attempts: worn out",
    ]);
    const both = [...sent, finished(1, 1, "done"), finished(1, 2, "done")];
    expect(finishedOnce([task(1)], both)).toEqual(["task 1 (k1) was finished 2 times"]);
    expect(finishedOnce([task(1)], [finishing(1, 2)])).toHaveLength(1);
    expect(finishedOnce([task(1, { key: "k+" })], sent)).toEqual([
      "task 1 (k+) is done, but the task it added is lost",
    ]);
  });

  test("leasesUnique: a lease of two workers, and work without a lease", () => {
    expect(leasesUnique([claimed("w1", 1), claimed("w2", 1, 2), start(1, "w2", 1, 2)])).toEqual([]);
    expect(leasesUnique([claimed("w1", 1), claimed("w2", 1)])).toHaveLength(1);
    expect(leasesUnique([claimed("w1", 1), start(1, "w2", 1)])).toHaveLength(1);
  });

  test("withinLimit: work that overlaps, also that of a process until it was killed", () => {
    const apartWorks = worksOf([start(1, "w1", 1), end(2, "w1", 1), start(2, "w2", 2)]);
    expect(withinLimit("g", apartWorks, 1)).toEqual([]);
    const beside = worksOf([start(1, "w1", 1), start(2, "w2", 2), end(3, "w1", 1)]);
    expect(withinLimit("g", beside, 1)).toHaveLength(1);
    expect(withinLimit("g", beside, 2)).toEqual([]);
    const killed = at(3, "w1", { event: "killed" });
    expect(
      withinLimit("g", worksOf([start(1, "w1", 1), killed, start(2, "w2", 2)]), 1),
    ).toHaveLength(1);
    expect(withinLimit("g", worksOf([start(1, "w1", 1), killed, start(4, "w2", 2)]), 1)).toEqual(
      [],
    );
  });

  test("apart: starts closer than the delay, whoever made them", () => {
    const works = worksOf([start(1, "w1", 1), start(11, "w2", 2), start(20.9, "w1", 3)]);
    expect(apart("g", works, 9.8)).toEqual([]);
    expect(apart("g", works, 10)).toHaveLength(1);
  });

  test("blocksKept: claimed after the answer to a block, and started before its end", () => {
    const blocked = at(10, "w1", { event: "blocked", gate: "g", untilMs: 40 });
    const startsAt = (ms: number, sentMs: number) =>
      blocksKept([blocked, claimed("w2", 1, 1, sentMs)], worksOf([start(ms, "w2", 1)]));
    expect([...startsAt(9, 8), ...startsAt(39, 9), ...startsAt(40, 11)]).toEqual([]);
    expect(startsAt(39, 11)).toHaveLength(1);
  });
});
