import type { Command } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { openWebhooksOf } from "./webhook-context.ts";

const states = ["pending", "running", "done", "skipped", "failed"] as const;
const limitMax = 10_000;

export const webhookDeliveries: Command = {
  needs: "settings",
  options: [
    { flag: "--webhook", value: "id", summary: "only of this webhook" },
    { flag: "--state", value: "state", summary: "only in this state", choices: states },
    { flag: "--limit", value: "count", summary: "maximum number, newest first", default: "50" },
  ],
  examples: [
    { line: "forager webhook deliveries", summary: "the newest first" },
    {
      line: "forager webhook deliveries --state failed --json",
      summary: "deliveries that were not accepted",
    },
  ],
  details: [
    "A delivery is a task of the queue, and is kept as long as tasks are (queue.keepDoneDays).",
  ],

  async run(context) {
    const { flags, out } = context;
    const state = textFlag(flags, "state") as (typeof states)[number] | undefined;
    await using webhooks = await openWebhooksOf(context);
    const rows = await webhooks.deliveries({
      endpoint: textFlag(flags, "webhook"),
      states: state === undefined ? undefined : [state],
      limit: Math.min(limitMax, parseCount("limit", textFlag(flags, "limit") ?? "50")),
    });
    const columns: readonly TableColumn<(typeof rows)[number]>[] = [
      { title: "id", value: ({ id }) => String(id), isKey: true },
      { title: "webhook", value: ({ endpoint }) => endpoint },
      { title: "type", value: ({ type }) => type },
      { title: "state", value: (row) => row.state },
      { title: "attempts", value: ({ attempts }) => String(attempts) },
      { title: "added", value: ({ addedAt }) => addedAt },
      { title: "answer", value: ({ answer }) => answer ?? "" },
    ];
    await out.list(rows, { columns, empty: "there are no deliveries" });
  },
};
