import { expect } from "vitest";
import { work, works, type QueueFixture } from "./suite-fixture.ts";

/** Calls every operation that claims, finishes, sweeps, promotes or reads the state. */
export async function workAll(at: QueueFixture): Promise<void> {
  const { queue } = at;
  await queue.setGate("g", { delayMs: 100 });
  await queue.setGate("m", { limit: 5 });
  await queue.openJob("j", { concurrency: 3, budget: 1_000 });
  await at.add(
    ...works("a", 5, { attemptsMax: 9 }),
    ...works("b", 5, { gate: "g", job: "j" }),
    ...works("c", 5, { gate: "m" }),
    work("later", { dueAtMs: at.time.now().wallMs + 50 }),
  );
  await queue.add([work("a1")]);
  const leases = await at.claim({ limit: 8 });
  expect(leases.length).toBeGreaterThan(4);
  await at.extend(leases[0]!);
  await at.finish(leases[0]!, undefined, { add: [work("more")] });
  await at.finish(leases[0]!);
  await at.finish(leases[1]!, { kind: "retry", delayMs: 10, reason: "r" });
  await at.finish(leases[2]!, { kind: "fail", reason: "f" });
  await at.finish(leases[3]!, { kind: "skip", reason: "s" });
  await at.release(leases[4]!);
  await queue.raise([{ key: "a4", priority: 900 }]);
  await queue.stats();
  await queue.wakeInMs(["work"]);
  await at.time.advance(1_000);
  await queue.stats();
  await at.claim({ requestId: "same" });
  await at.claim({ requestId: "same" });
  await at.time.advance(100_000);
  expect(await queue.sweep()).not.toMatchObject({ requeued: 0 });
  await queue.stats();
  await queue.wakeInMs(["work"]);
  await at.claimOne({ worker: "w2" });
  await queue.block("m", 10);
  await queue.show(1);
  await queue.job("j");
  await queue.gate("g");
  await queue.pause("j");
  await queue.resume("j");
  await queue.seal("j");
  await queue.cancel("j");
  await queue.sweep();
  await queue.retry({ states: ["failed"] });
  await queue.retry({ states: ["failed"], job: "j", kind: "work", gate: "g" });
  await queue.purge({ states: ["done", "skipped"], finishedBeforeMs: 1 });
  await queue.purge({ states: ["skipped"] });
  await queue.jobs();
  await queue.gates();
  await queue.browse();
  await queue.ended();
  await queue.ended({ kind: "work", job: "j", gate: "g", isNewestFirst: true });
  await queue.ended({ states: ["failed"], after: { finishedAtMs: 1, id: 1 } });
  await readAll(at);
}

/** Calls every read of the port with every filter. */
export async function readAll({ queue, store }: QueueFixture): Promise<void> {
  const lane = { kind: "work", job: "j", gate: "g" };
  await queue.now();
  await queue.stats();
  await queue.show(1);
  await queue.browse();
  await queue.browse({ states: ["failed"], ...lane, keyPrefix: "a", text: "a" });
  for (const filter of [
    { states: ["pending"] },
    { states: ["running"] },
    { states: ["done"] },
    { kind: "work" },
    { job: "j" },
    { gate: "g" },
    { keyPrefix: "a" },
    { text: "a" },
  ] as const) {
    await queue.browse(filter);
    await queue.browse({ ...filter, afterId: 7, limit: 3 });
  }
  for (const isNewestFirst of [false, true]) {
    for (const filter of [{}, { states: ["failed"] }, { kind: "work" }, lane] as const) {
      await queue.ended({ ...filter, isNewestFirst });
      await queue.log({ ...filter, isNewestFirst });
      await queue.log({ ...filter, isNewestFirst, after: { finishedAtMs: 9, id: 9 }, limit: 3 });
    }
  }
  await queue.logEntry(1);
  await queue.logStats();
  await queue.jobs();
  await queue.jobs({ after: "a", limit: 2 });
  await queue.job("j");
  await queue.gates();
  await queue.gates({ after: "a", limit: 2 });
  await queue.gate("g");
  await queue.wakeInMs(["work"]);
  await queue.wakeInMs(["work"], "w9");
  store.connections?.();
}

/**
 * Adds ten claimable tasks, and `blocked` tasks with a higher priority that cannot be claimed: in
 * blocked gates of their own, in a full gate, in a paused job, and due later.
 */
export async function addBlocked({ queue, claim }: QueueFixture, blocked: number): Promise<void> {
  const part = blocked / 5;
  const higher = { priority: 900 };
  await queue.openJob("paused");
  await queue.pause("paused");
  const gates = Array.from({ length: part }, (_, index) => `blocked ${index}`);
  await queue.add([work("first", { gate: "full", priority: 1_000 })]);
  await claim({ worker: "other" });
  for (const tasks of [
    gates.map((gate) => work("a", { gate, ...higher })),
    works("full", part, { gate: "full", ...higher }),
    works("full again", part, { gate: "full", ...higher }),
    works("paused", part, { job: "paused", ...higher }),
    works("later", part, { delayMs: 3_600_000, ...higher }),
  ]) {
    await queue.add(tasks);
  }
  await Promise.all(gates.map((gate) => queue.block(gate, 3_600_000)));
  await queue.add(works("open", 10));
}
