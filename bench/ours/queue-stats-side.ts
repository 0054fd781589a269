/** `stats()`, which reads counters, beside counting the rows as most queues do. SQLite only. */
import { strictEqual } from "node:assert/strict";
import Database from "better-sqlite3";
import { median } from "../frame/statistics.ts";
import type { Side } from "../frame/side.ts";
import { inBatches, pageUrl } from "../pages.ts";
import { addressOf, fillSide, openSide } from "./open-side.ts";
import type { QueueInput } from "./open-side.ts";

export interface StatsInput extends QueueInput {
  readonly tasks: number;
  readonly gates: number;
  readonly samples: number;
}

/** Returns medians; `stats()` says far more than the count, so it has the harder task. */
export const statsOrCount: Side<StatsInput> = async (input, context) => {
  await fillSide(input, context, async (queue) => {
    const tasks = Array.from({ length: input.tasks }, (_, index) => ({
      kind: "page" as const,
      gate: `gate-${index % input.gates}`,
      key: pageUrl(index),
      payload: { url: pageUrl(index) },
    }));
    for (const batch of inBatches(tasks, 10_000)) await queue.add(batch);
  });
  const queue = await openSide(input, context);
  const database = new Database(addressOf(input, context).replace("sqlite:", ""), {
    readonly: true,
  });
  const count = database.prepare<[], { tasks: number }>(
    "select lane, state, count(*) as tasks from task group by lane, state",
  );
  return {
    async run() {
      const statsMs: number[] = [];
      const countMs: number[] = [];
      for (let sample = 0; sample < input.samples; sample++) {
        const startedMs = performance.now();
        const { states } = await queue.stats();
        const betweenMs = performance.now();
        const counted = count.all().reduce((sum, { tasks }) => sum + tasks, 0);
        countMs.push(performance.now() - betweenMs);
        statsMs.push(betweenMs - startedMs);
        strictEqual(states.pending, counted, "tasks by counter and by row");
      }
      return { statsMs: median(statsMs), countMs: median(countMs) };
    },
  };
};
