import { asUsage } from "../../../base/usage-error.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { identityPolicy, roleNames, type RoleName } from "../../../infra/index.ts";
import type { Command } from "../../frame/command.ts";
import { bucketArgument, nodeOption, targetOf } from "./target.ts";

export const infraPolicy: Command = {
  needs: "nothing",
  arguments: [
    { name: "role", summary: "the role of the machine", choices: roleNames },
    bucketArgument,
  ],
  options: [nodeOption],
  examples: [
    { line: "forager infra policy node s3://acme-fleet", summary: "for machines that run tasks" },
    {
      line: "forager infra policy hub s3://acme-fleet/team-a",
      summary: "for the machine that writes checkpoints",
    },
  ],
  details: [
    "Attach it to the IAM user or role of the machine. AWS then refuses unconditional writes to the\n" +
      "queue, so a bug cannot overwrite it by accident.",
    `Page: ${docsPage("guides/bucket-rights.md")}`,
  ],

  async run({ args, flags, out }) {
    const [role = "node", address = ""] = args;
    const target = await asUsage(async () => targetOf(address, flags), ["bucket_address"]);
    const policy = identityPolicy(role as RoleName, target);
    out.result(policy, JSON.stringify(policy, undefined, 2));
  },
};
