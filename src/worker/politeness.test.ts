import { describe, expect, test } from "vitest";
import { sleep } from "../base/clock.ts";
import { SlowDownError } from "./failure.ts";
import { done } from "./outcome.ts";
import { blockMsMax, streakLength } from "./politeness.ts";
import { backends, openWorkerFixture, works } from "./testing/worker-fixture.ts";

const bounds = { floorMs: 100, ceilingMs: 8_000 };
const politeness = () => bounds;
const host = "a.example";
const delayOf = async (at: ReturnType<typeof openWorkerFixture>) =>
  (await at.queue.gate(host))?.delayMs;

describe.each(backends)("D2: the delay of a gate on %s", (backend) => {
  test("good answers in a row shorten it step by step, and never below its floor", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate(host, { delayMs: 200 });
    await at.queue.add(works("a", streakLength * 8, { gate: host }));
    await at.work(() => done(), { handler: { politeness } });
    const seen = new Set<number>();
    for (let second = 0; second < 40; second++) {
      await at.pass(1_000, 20);
      seen.add((await delayOf(at))!);
    }
    expect([...seen]).toEqual([200, 160, 128, 102, 100]);
    expect((await at.queue.stats()).states.pending).toBe(0);
  });

  test("each refusal doubles it, up to its ceiling; the attempt is tried again", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate(host, { delayMs: 500 });
    await at.queue.add(works("a", 1, { gate: host, attemptsMax: 20 }));
    const seen: number[] = [];
    await at.work(
      async () => {
        seen.push((await delayOf(at))!);
        throw new SlowDownError("503");
      },
      { handler: { politeness, retry: { delayMs: 1, delayMsMax: 1 } } },
    );
    await at.pass(60_000, 250);
    expect(seen.slice(0, 7)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  test("a gate without a delay gets its first one from a refusal", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate(host, { delayMs: 0, limit: 4 });
    await at.queue.add(works("a", 1, { gate: host }));
    await at.work(() => Promise.reject(new SlowDownError("429")), { handler: { politeness } });
    await at.settle();
    expect(await delayOf(at)).toBe(1_000);
  });

  test("refusals of requests that were under way together count once", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate(host, { delayMs: 0, limit: 4 });
    await at.queue.add(works("a", 4, { gate: host }));
    await at.work(
      async () => {
        await sleep(at.clock, 50);
        throw new SlowDownError("429");
      },
      { handler: { politeness } },
    );
    await at.pass(100);
    expect(await delayOf(at)).toBe(1_000);
  });

  test("Retry-After blocks the gate for the whole fleet, for an hour at most", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate(host, { delayMs: 100 });
    await at.queue.add(works("a", 3, { gate: host }));
    let starts = 0;
    await at.work(() => {
      starts += 1;
      return Promise.reject(new SlowDownError("429", { retryAfterMs: 10 * blockMsMax }));
    });
    await at.settle();
    const other = await at.queue.claim({ worker: "other", kinds: ["work"] });
    expect(other.leases).toEqual([]);
    expect(starts).toBe(1);
    const gate = await at.queue.gate(host);
    expect(gate!.blockedUntilMs - at.clock.nowMs()).toBe(blockMsMax);
    // A kind without bounds does not touch the delay that somebody set.
    expect(gate!.delayMs).toBe(100);
  });

  test("a host that stops answering is slowed down for", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate(host, { delayMs: 1_000 });
    await at.queue.add(works("a", 1, { gate: host }));
    await at.work(({ signal }) => sleep(at.clock, 100_000, signal), {
      handler: { politeness, timeoutMs: 2_000 },
    });
    await at.pass(2_500, 100);
    expect(await delayOf(at)).toBe(2_000);
  });

  test("what one worker learns holds for another, and survives both", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate(host, { delayMs: 1_000 });
    await at.queue.add(works("a", 2, { gate: host, attemptsMax: 1 }));
    const first = await at.work(() => Promise.reject(new SlowDownError("429")), {
      handler: { politeness },
      burst: 1,
    });
    await at.pass(100);
    const stopped = first.stop();
    await at.pass(6_000, 500);
    await stopped;
    const startsMs: number[] = [];
    await at.queue.add(works("b", 3, { gate: host }));
    await at.work(() => void startsMs.push(at.clock.monotonicMs()), { handler: { politeness } });
    await at.pass(10_000, 50);
    expect(startsMs.length).toBeGreaterThan(2);
    expect(startsMs[2]! - startsMs[1]!).toBeGreaterThanOrEqual(2_000);
  });
});
