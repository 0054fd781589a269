import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { allowingForLoad } from "../../base/testing/busy-machine.ts";
import { longestBlockMs } from "../../base/testing/event-loop.ts";
import { createQueue } from "../create-queue.ts";
import type { Queue } from "../queue.ts";
import type { QueueStore } from "../queue-store.ts";

export interface ManyLanesOptions {
  readonly name: string;
  readonly open: () => Promise<QueueStore>;
}

const lanes = 100_000;
const jobs = 10_000;
/**
 * How long a dashboard may block a worker. Processor time is measured, but programs that share a
 * processor and its caches use two to three times as much.
 */
const blockMsMax = Math.min(150, allowingForLoad(50));

/** Reads must not block a process, however many lanes there are. */
export function manyLanesSuite({ name, open }: ManyLanesOptions): void {
  describe(`${name} with 100,000 lanes of 10,000 jobs`, () => {
    let queue: Queue;
    beforeAll(async () => {
      queue = createQueue({ store: await open(), clock: systemClock, random: systemRandom });
      for (let at = 0; at < lanes; at += 10_000) {
        await queue.add(
          Array.from({ length: 10_000 }, (_, index) => ({
            kind: `kind-${index % 3}`,
            job: `job-${index % jobs}`,
            gate: `host-${at + index}.example`,
            key: "a",
            priority: (index % 7) * 100,
          })),
        );
      }
      const { leases } = await queue.claim({ worker: "w", kinds: ["kind-2"], limit: 50 });
      const outcome = { kind: "fail", reason: "for a rare state" } as const;
      await queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
    });
    afterAll(() => queue[Symbol.asyncDispose]());

    const reads: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
      [
        "stats",
        async () => {
          const stats = await queue.stats();
          return [stats.lanes, stats.gates, stats.jobs.open, stats.states.pending];
        },
        [lanes, lanes, jobs, lanes - 50],
      ],
      ["jobs", async () => (await queue.jobs()).length, jobs],
      ["gates", async () => (await queue.gates()).length, lanes],
      ["a page of gates", async () => (await queue.gates({ after: "host-5" })).length, 55_555],
      [
        "rare tasks",
        async () => (await queue.browse({ states: ["failed"], limit: 50 })).length,
        50,
      ],
      [
        "finished tasks of one kind",
        async () => (await queue.ended({ kind: "kind-2" })).length,
        50,
      ],
    ];
    test.each(reads)("%s: the event loop continues", async (_, read, expected) => {
      // One of the reads may include a garbage collection.
      const blocks: number[] = [];
      while (blocks.length < 3 && (blocks.at(-1) ?? Infinity) >= blockMsMax) {
        const { answer, blockMs } = await longestBlockMs(read);
        expect(answer).toEqual(expected);
        blocks.push(blockMs);
      }
      expect(blocks.at(-1), blocks.map(Math.round).join(", ")).toBeLessThan(blockMsMax);
    });
  });
}
