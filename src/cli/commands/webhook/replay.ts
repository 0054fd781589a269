import { usageError } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { openWebhooksOf } from "./webhook-context.ts";

export const webhookReplay: Command = {
  needs: "settings",
  arguments: [{ name: "delivery", summary: "its id, as `webhook deliveries` shows it" }],
  examples: [{ line: "forager webhook replay 17", summary: "send it once more" }],
  details: ["The message has the same webhook-id as before. A worker sends it."],

  async run(context) {
    const { args, out } = context;
    const id = Number(args[0]);
    if (!Number.isSafeInteger(id) || id < 1)
      throw usageError(`"${args[0]}" is not the id of a delivery`);
    context.markChange();
    await using webhooks = await openWebhooksOf(context);
    const delivery = await webhooks.replay(id);
    out.result({ delivery }, `added as delivery ${delivery}`);
  },
};
