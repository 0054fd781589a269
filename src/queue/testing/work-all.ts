import { expect } from "vitest";
import { work, works, type Fixture } from "./suite-fixture.ts";

/** Every operation that claims, finishes, sweeps, promotes, or looks how things stand. */
export async function workAll(at: Fixture): Promise<void> {
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
  await queue.browse({ states: ["failed"], kind: "work", job: "j", gate: "g", keyPrefix: "a" });
}
