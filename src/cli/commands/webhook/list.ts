import type { Command } from "../../frame/command.ts";
import { openWebhooksOf } from "./webhook-context.ts";

export const webhookList: Command = {
  needs: "settings",
  examples: [{ line: "forager webhook list", summary: "endpoints, and if they are enabled" }],
  details: ["Only the host of a URL is shown, because its path often contains a token."],

  async run(context) {
    await using webhooks = await openWebhooksOf(context);
    const rows = await webhooks.list();
    if (rows.length === 0) {
      return context.out.result([], "there are no webhooks: `forager webhook add URL` adds one");
    }
    context.out.table(rows, [
      { title: "id", value: ({ id }) => id, isKey: true },
      { title: "url", value: ({ url }) => url },
      { title: "events", value: ({ events }) => events.join(", ") || "all" },
      { title: "secrets", value: ({ secrets }) => String(secrets) },
      { title: "state", value: ({ disabled }) => disabled?.reason ?? "in use" },
    ]);
  },
};
