import type { Command } from "../../frame/command.ts";
import { openWebhooksOf, webhookArgument } from "./webhook-context.ts";

export const webhookTest: Command = {
  needs: "settings",
  arguments: [webhookArgument],
  examples: [
    {
      line: "forager webhook test ep_0123456789ab",
      summary: "check if the receiver accepts messages",
    },
  ],
  details: ["Sends a message of the type `test` at once. Exits with 1 if it is not accepted."],

  async run(context) {
    const { args, out, signal } = context;
    const [id = ""] = args;
    await using webhooks = await openWebhooksOf(context);
    const { status, isTaken } = await webhooks.test(id, signal);
    out.result({ id, status, isTaken }, `the receiver answered ${status}${isTaken ? "" : ": it did not accept the message"}`); // prettier-ignore
    return isTaken ? undefined : "failed";
  },
};
