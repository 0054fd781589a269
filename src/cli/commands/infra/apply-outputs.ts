import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { translateFileError } from "../../../base/atomic-file.ts";
import { docsPage } from "../../../base/docs-page.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { setSetting } from "../../../config/index.ts";
import { readStackOutputs } from "../../../infra/index.ts";
import type { Command } from "../../command.ts";
import { chosenFile, whichFileOptions } from "../config/files.ts";

export const infraApplyOutputs: Command = {
  needs: "nothing",
  arguments: [{ name: "file", summary: "the output of `aws cloudformation describe-stacks`" }],
  options: whichFileOptions,
  examples: [
    { line: "forager infra apply-outputs stack.json", summary: "set bucket.url in forager.toml" },
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
    const setting = { key: "bucket.url", value: bucketUrl };
    await asUsage(() => setSetting({ file, ...setting, home: homedir(), env: process.env }));
    const names = Object.entries(policies).map(([role, arn]) => `${role}: ${arn}`);
    out.result(
      { ...setting, file, policies },
      [`bucket.url is ${bucketUrl} in ${file}`, ...(names.length > 0 ? ["attach these policies to the users or roles of your machines:", ...names.map((one) => `  ${one}`)] : [])].join("\n"), // prettier-ignore
    );
  },
};
