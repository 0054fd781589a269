import type { Command } from "../command.ts";
import { gateColumns, gateValue } from "./queue/gate-columns.ts";
import { openExistingQueue } from "./queue/open-queue.ts";

export const queueGates: Command = {
  needs: "settings",
  examples: [
    { line: "forager queue gates", summary: "every gate that has tasks, and whether it is open" },
    { line: "forager queue gates --json", summary: "the same for a program" },
  ],

  async run(context) {
    await using queue = await openExistingQueue(context);
    const { ms: nowMs } = await queue.now();
    const gates = await queue.gates();
    context.out.table(
      gates.map((gate) => gateValue(gate, nowMs)),
      gateColumns,
    );
  },
};
