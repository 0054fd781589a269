import { asUsage } from "../../../base/usage-error.ts";
import { eventTypes, type EventType } from "../../../notify/index.ts";
import type { Command } from "../../frame/command.ts";
import { listFlag } from "../../options/flags.ts";
import { openWebhooksOf, secretFlag, secretOptions } from "./webhook-context.ts";

export const webhookAdd: Command = {
  needs: "settings",
  arguments: [{ name: "url", summary: "where events are posted to" }],
  options: [
    { flag: "--event", value: "type", summary: "only these (default: all)", choices: eventTypes, isRepeated: true }, // prettier-ignore
    ...secretOptions,
  ],
  examples: [
    {
      line: "forager webhook add https://example.org/hooks/forager --event campaign.finished",
      summary: "notify a program when a campaign is finished",
    },
  ],
  details: [
    "Messages are signed by the Standard Webhooks specification. The secret is printed only once;\n" +
      "with --secret-env or --secret-file each node that sends reads it there instead.",
    "An address of a private network is refused when a message is sent, unless\n" +
      "webhook.allowPrivateNetworks names it.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [url = ""] = args;
    const secret = secretFlag(flags);
    context.markChange();
    await using webhooks = await openWebhooksOf(context);
    const events = (listFlag(flags, "event") ?? []) as readonly EventType[];
    const added = await asUsage(() => webhooks.add({ url, events, secret }));
    const { secret: _, ...kept } = added;
    context.recordChange({ after: kept });
    const shown = added.secret === null ? "" : `\nits secret, shown only once: ${added.secret}`;
    out.result(added, `added ${added.id}${shown}\n\`forager webhook test ${added.id}\` sends a first message`); // prettier-ignore
  },
};
