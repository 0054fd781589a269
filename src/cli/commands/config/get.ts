import { asUsage } from "../../../base/usage-error.ts";
import { settingOf } from "../../../config/index.ts";
import type { Command } from "../../frame/command.ts";

export const configGet: Command = {
  needs: "settings",
  arguments: [{ name: "key", summary: "a setting, such as queue.url" }],
  examples: [
    { line: "forager config get queue.url", summary: "its value, and nothing else" },
    { line: "forager config get queue.url --json", summary: "with its source" },
  ],
  details: ["Secrets are shown as ***. A setting without a value prints an empty line."],

  async run({ args, loaded, out }) {
    const { key } = await asUsage(async () => settingOf(args[0] ?? ""));
    const { value, display, source } = loaded.values.find((one) => one.key === key)!;
    const shown = value === undefined ? "" : display;
    out.result({ key, value: value === undefined ? null : display, source }, `${shown}\n`);
  },
};
