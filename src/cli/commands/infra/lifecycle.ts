import { asUsage } from "../../../base/usage-error.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { lifecycleConfiguration } from "../../../infra/index.ts";
import type { Command } from "../../frame/command.ts";
import { bucketArgument, targetOf } from "./target.ts";

export const infraLifecycle: Command = {
  needs: "nothing",
  arguments: [bucketArgument],
  examples: [
    { line: "forager infra lifecycle s3://acme-fleet", summary: "probes, old log lines, exports" },
  ],
  details: [
    "Apply it with `aws s3api put-bucket-lifecycle-configuration`. Never add a rule for other keys: a\n" +
      "queue or a journal that loses an object is damaged.",
    `Page: ${docsPage("guides/bucket-rights.md")}`,
  ],

  async run({ args: [address = ""], out }) {
    const target = await asUsage(async () => targetOf(address), ["bucket_address"]);
    const rules = lifecycleConfiguration(target);
    out.result(rules, JSON.stringify(rules, undefined, 2));
  },
};
