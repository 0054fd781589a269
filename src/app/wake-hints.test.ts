import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createPaths } from "../config/index.ts";
import { createWakeHints, paced } from "./wake-hints.ts";
import { openQueue } from "./open-queue.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-hints-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hintsOf = (name: string) =>
  createWakeHints({ paths: createPaths(join(folder, name)), clock: systemClock });
const task = (key: string) => ({ kind: "k", key, payload: {} });

describe("wake hints", () => {
  test("lesson 25: what one process tells, another hears; and only what it listens for", async () => {
    const [one, other] = [hintsOf("a"), hintsOf("a")];
    const heard: string[] = [];
    const stops = [
      other.follow("added", () => heard.push("added")),
      other.follow("woken", () => heard.push("woken")),
    ];
    one.tell("added");
    await expect.poll(() => heard).toEqual(["added"]);
    for (const stop of stops) stop();
    hintsOf("a").tell("woken");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard).toEqual(["added"]);
  });

  test("one's own hint is not heard, another's is", async () => {
    const [one, other] = [hintsOf("a"), hintsOf("a")];
    let heard = 0;
    const stop = one.follow("added", () => (heard += 1));
    one.tell("added");
    await new Promise((resolve) => setTimeout(resolve, 100));
    other.tell("added");
    await expect.poll(() => heard).toBe(1);
    stop();
  });

  test("the first counts at once, the others of its second together", async () => {
    const clock = createTestClock();
    let count = 0;
    const act = paced(clock, () => (count += 1));
    for (let index = 0; index < 100; index++) act();
    expect(count).toBe(1);
    await clock.advance(1_000);
    expect(count).toBe(2);
    await clock.advance(10_000);
    expect(count).toBe(2);
    act();
    expect(count).toBe(3);
  });

  test("where nothing can be written, nothing is said and nothing breaks", () => {
    writeFileSync(join(folder, "file"), "");
    const nowhere = createPaths(join(folder, "file"));
    const hints = createWakeHints({ paths: nowhere, clock: systemClock });
    hints.tell("added");
    hints.follow("woken", () => {})();
  });
});

describe("a queue on a bucket, and its hints", () => {
  test("who adds work says so; claims, finishes and what was known already do not", async () => {
    const told: string[] = [];
    const hints = { tell: (hint: string) => void told.push(hint), follow: () => () => {} };
    await using queue = await openQueue(`dir:${join(folder, "bucket")}`, { hints });
    await queue.add([task("1")]);
    expect(told).toEqual(["added"]);
    await queue.add([task("1")]);
    const { leases } = await queue.claim({ worker: "w", kinds: ["k"], limit: 1, leaseMs: 60_000 });
    const { id, token } = leases[0]!;
    await queue.finish([{ id, token, outcome: { kind: "done" } }]);
    expect(told).toEqual(["added"]);
  });

  test("who waits for work looks at once when it is woken", async () => {
    const address = `dir:${join(folder, "bucket")}`;
    const hints = hintsOf("b");
    await using waiting = await openQueue(address, { hints });
    await using adding = await openQueue(address);
    let changes = 0;
    const unwatch = waiting.watch(() => (changes += 1));
    // Until it looks only now and then.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await adding.add([task("2")]);
    changes = 0;
    const startMs = performance.now();
    // As another process of this machine does when it adds: no gossip is needed for that.
    hintsOf("b").tell("added");
    await expect.poll(() => changes, { timeout: 5_000, interval: 10 }).toBeGreaterThan(0);
    expect(performance.now() - startMs).toBeLessThan(700);
    unwatch();
  });
});
