import type { Command } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { openWebhooksOf, secretFlag, secretOptions, webhookArgument } from "./webhook-context.ts";

export const webhookRotate: Command = {
  needs: "settings",
  arguments: [webhookArgument],
  options: [
    { flag: "--overlap", value: "time", summary: "how long the old secret is also used", default: "24h" }, // prettier-ignore
    ...secretOptions,
  ],
  examples: [
    {
      line: "forager webhook rotate ep_0123456789ab",
      summary: "a new secret; both sign for a day",
    },
    {
      line: "forager webhook rotate ep_0123456789ab --overlap 0s",
      summary: "the old secret has leaked: stop using it at once",
    },
  ],
  details: [
    "While both are valid, each message carries two signatures, and a receiver needs one of them.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [id = ""] = args;
    const overlapMs = parseDuration("overlap", textFlag(flags, "overlap") ?? "24h");
    const secret = secretFlag(flags);
    context.markChange();
    await using webhooks = await openWebhooksOf(context);
    await using _state = await context.recordState(async () => (await webhooks.list()).find((one) => one.id === id)); // prettier-ignore
    const rotated = await webhooks.rotate(id, { overlapMs, secret });
    const shown = rotated.secret === null ? "" : `: ${rotated.secret}`;
    out.result(rotated, `${id} signs with a new secret${shown}`);
  },
};
