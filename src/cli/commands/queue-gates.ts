import { openQueueToRead } from "../../app/index.ts";
import type { Command } from "../command.ts";
import { byName } from "../../queue/index.ts";
import { gateColumns, gateValue } from "./queue/gate-columns.ts";

export const queueGates: Command = {
  needs: "settings",
  examples: [
    { line: "forager queue gates", summary: "every gate that has tasks, and whether it is open" },
    { line: "forager queue gates --json", summary: "the same for a program" },
  ],

  async run(context) {
    const { out, signal } = context;
    await using queue = await openQueueToRead(context);
    const { ms: nowMs } = await queue.now();
    async function* gates() {
      for await (const gate of byName((page) => queue.gates(page), signal)) {
        yield gateValue(gate, nowMs);
      }
    }
    await out.list(gates(), {
      columns: gateColumns,
      empty: "no gate has tasks: `forager queue gate HOST --delay 2s` sets one before they come",
    });
  },
};
