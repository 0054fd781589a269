import { openOrMakeQueue, openWebhooks, type Webhooks } from "../../../app/index.ts";
import { createOnce } from "../../../base/once.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { ArgumentSpec, Flags, OptionSpec, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";

export const webhookArgument: ArgumentSpec = { name: "id", summary: "as `webhook list` shows it" };

/** Opens the webhooks for one command. The queue is opened only when it is used. */
export async function openWebhooksOf({
  settings,
  paths,
  clock,
}: SettingsContext): Promise<Webhooks> {
  // prettier-ignore
  const queue = createOnce(() => openOrMakeQueue({ settings, paths }));
  const webhooks = await openWebhooks({ settings, paths, clock, queue: () => queue.get() });
  return {
    ...webhooks,
    async [Symbol.asyncDispose]() {
      await webhooks[Symbol.asyncDispose]();
      await (await queue.opened())?.[Symbol.asyncDispose]();
    },
  };
}

export const secretOptions: readonly OptionSpec[] = [
  { flag: "--secret-env", value: "name", summary: "variable that holds the secret on every node" },
  { flag: "--secret-file", value: "file", summary: "file that holds the secret on every node", complete: "file" }, // prettier-ignore
];

/** Undefined: a secret is generated and stored with the endpoint. */
export function secretFlag(flags: Flags): { env: string } | { file: string } | undefined {
  const env = textFlag(flags, "secretEnv");
  const file = textFlag(flags, "secretFile");
  if (env !== undefined && file !== undefined) {
    throw usageError("give --secret-env or --secret-file, not both");
  }
  if (env !== undefined) return { env };
  return file === undefined ? undefined : { file };
}
