import type { Command } from "../../frame/command.ts";
import { openWebhooksOf, webhookArgument } from "./webhook-context.ts";

export const webhookEnable: Command = {
  needs: "settings",
  arguments: [webhookArgument],
  examples: [
    {
      line: "forager webhook enable ep_0123456789ab",
      summary: "use it again, after its receiver was repaired",
    },
  ],
  details: [
    "A webhook is disabled when its receiver answers 410 Gone, or after the last of ten attempts.\n" +
      "`forager webhook replay` sends messages that were skipped meanwhile.",
  ],

  async run(context) {
    const { args, out } = context;
    context.markChange();
    await using webhooks = await openWebhooksOf(context);
    await using _state = await context.recordState(async () => (await webhooks.list()).find((one) => one.id === args[0])); // prettier-ignore
    const enabled = await webhooks.enable(args[0] ?? "");
    out.result(enabled, `${enabled.id} is in use again`);
  },
};
