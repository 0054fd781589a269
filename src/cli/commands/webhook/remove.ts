import type { Command } from "../../frame/command.ts";
import { openWebhooksOf, webhookArgument } from "./webhook-context.ts";

export const webhookRemove: Command = {
  needs: "settings",
  arguments: [webhookArgument],
  examples: [
    { line: "forager webhook remove ep_0123456789ab", summary: "send it no more messages" },
  ],
  details: ["Pending deliveries are skipped; finished ones stay in the list."],

  async run(context) {
    const { args, out } = context;
    context.markChange();
    await using webhooks = await openWebhooksOf(context);
    await using _state = await context.recordState(async () => (await webhooks.list()).find((one) => one.id === args[0])); // prettier-ignore
    const removed = await webhooks.remove(args[0] ?? "");
    out.result(removed, `removed ${removed.id} (${removed.url})`);
  },
};
