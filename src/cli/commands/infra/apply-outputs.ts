import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { translateFileError } from "../../../base/files/atomic-file.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { setSetting } from "../../../config/index.ts";
import { readStackOutputs } from "../../../infra/index.ts";
import type { Command } from "../../frame/command.ts";
import { chosenFile, whichFileOptions } from "../config/files.ts";

export const infraApplyOutputs: Command = {
  needs: "nothing",
  arguments: [{ name: "file", summary: "the output of `aws cloudformation describe-stacks`" }],
  options: whichFileOptions,
  examples: [
    {
      line: "forager infra apply-outputs stack.json",
      summary: "set bucket.url and roles in forager.toml",
    },
  ],
  details: [`Page: ${docsPage("guides/bucket-rights.md")}`],

  async run(context) {
    const { args, out } = context;
    const [path = ""] = args;
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      throw translateFileError(error, path);
    });
    const { bucketUrl, policies } = await asUsage(async () => readStackOutputs(text));
    const file = await chosenFile(context);
    const settings = [
      { key: "bucket.url", value: bucketUrl },
      ...Object.entries(policies).map(([role, value]) => ({ key: `roles.${role}`, value })),
    ];
    for (const setting of settings) {
      await asUsage(() => setSetting({ file, ...setting, home: homedir(), env: process.env }));
    }
    const lines = settings.map(({ key, value }) => `${key} is ${value}`);
    const next = settings.length > 1 ? ["attach the policies to the users or instance roles of your machines"] : []; // prettier-ignore
    out.result({ file, settings }, [`set in ${file}:`, ...lines, ...next].join("\n"));
  },
};
