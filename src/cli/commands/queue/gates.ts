import { openQueueToRead } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import {
  emptyPageText,
  listPageOptions,
  readListPage,
  rowsOfPage,
} from "../../terminal/list-page.ts";
import { byName } from "../../../queue/index.ts";
import { gateColumns, gateValue } from "./parts/gate-columns.ts";

export const queueGates: Command = {
  needs: "settings",
  options: listPageOptions("all"),
  examples: [
    { line: "forager queue gates", summary: "all gates with tasks, and if each is open" },
    { line: "forager queue gates --json", summary: "the same for a program" },
  ],

  async run(context) {
    const { out, flags, signal } = context;
    const page = readListPage(flags, "all");
    await using queue = await openQueueToRead(context);
    const { ms: nowMs } = await queue.now();
    async function* gates() {
      for await (const gate of byName((cursor) => queue.gates(cursor), signal)) {
        yield gateValue(gate, nowMs);
      }
    }
    const empty = "no gate has tasks: `forager queue gate HOST --delay 2s` sets one in advance";
    await out.list(rowsOfPage(gates(), page).rows, {
      columns: gateColumns,
      empty: emptyPageText(page, empty),
    });
  },
};
