import { openExistingQueue } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { auditedQueue, type Reconciled } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import type { Layout } from "../../terminal/output.ts";

export const queueReconcile: Command = {
  needs: "settings",
  options: [
    { flag: "--repair", summary: "correct the differences, after asking" },
    { flag: "--yes", summary: "do not ask" },
  ],
  examples: [
    { line: "forager queue reconcile", summary: "compare the counters with the tasks" },
    { line: "forager queue reconcile --repair", summary: "compare them, and correct the counters" },
  ],
  details: [
    "Counts every task, which takes long in a large queue and blocks others. Drift is always a bug\n" +
      "or a bad disk. Exit code 0 if nothing differs or all was repaired, 1 if something differs.",
  ],

  async run(context) {
    const { flags, out, confirm } = context;
    await using queue = await openExistingQueue(context);
    const found = await queue.reconcile();
    const isRight = found.drift.length === 0 && found.orphans === 0;
    if (isRight || flags["repair"] !== true) {
      out.result(found, (layout) => describe(found, layout));
      return isRight ? undefined : "failed";
    }
    const what = `${countOf(found.drift.length, "counter")} and ${countOf(found.orphans, "orphan")}`;
    if (!(await confirm(`repair ${what}?`, { yes: flags["yes"] === true }))) {
      out.note("nothing was repaired");
      return "failed";
    }
    await using _state = await context.recordState(() => auditedQueue.counts(queue));
    const repaired = await queue.reconcile({ repair: true });
    out.result(repaired, (layout) => describe(repaired, layout));
  },
};

function describe({ drift, orphans, repaired }: Reconciled, layout: Layout): string {
  if (drift.length === 0 && orphans === 0) return "nothing differs";
  const table = layout.table(drift, [
    { title: "counter", value: (row) => row.counter },
    { title: "says", value: (row) => row.counted },
    { title: "tasks say", value: (row) => row.actual },
  ]);
  const parts = drift.length > 0 ? [table, ""] : [];
  const counts = `${countOf(drift.length, "wrong counter")}, ${countOf(orphans, "orphan")}`;
  const next = repaired ? "repaired" : "--repair corrects them";
  return [...parts, `${counts}: ${next}`].join("\n");
}
