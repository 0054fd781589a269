import { homedir } from "node:os";
import { asUsage } from "../../../base/usage-error.ts";
import { setSetting, shownSettingsOf } from "../../../config/index.ts";
import type { Command } from "../../frame/command.ts";
import { chosenFile, whichFileOptions } from "./files.ts";

export const configSet: Command = {
  needs: "nothing",
  arguments: [
    { name: "key", summary: "a setting, such as crawl.contact" },
    { name: "value", summary: "its new value" },
  ],
  options: whichFileOptions,
  examples: [
    {
      line: "forager config set crawl.contact you@example.org",
      summary: "in forager.toml of this folder or a parent, otherwise in the user's file",
    },
    { line: "forager config set --user log.level warn", summary: "for all projects of this user" },
  ],
  details: [
    "Comments and other settings in the file stay as they are. A value that is not valid is refused, and\n" +
      "nothing is written. A running `forager work` or `up` applies the change within seconds.",
    'Write a list with commas or as in TOML: 127.0.0.1,10.0.0.0/8 or \'["127.0.0.1", "10.0.0.0/8"]\'.\n' +
      "The same goes for variables (FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS) and for forager.toml.",
  ],

  async run(context) {
    const { args, out } = context;
    const [key = "", value = ""] = args;
    const file = await chosenFile(context);
    const user = { home: homedir(), env: process.env };
    await using _state = await context.recordState(() => shownSettingsOf(file, user));
    await asUsage(() => setSetting({ file, key, value, ...user }));
    out.result({ key, value, file }, `${key} is set in ${file}`);
  },
};
