import { asUsage, usageError } from "../../../base/usage-error.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { bucketPolicy, roleNames, type RoleName } from "../../../infra/index.ts";
import type { Command } from "../../frame/command.ts";
import { bucketArgument, nodeOption, targetOf } from "./target.ts";

export const infraBucketPolicy: Command = {
  needs: "nothing",
  arguments: [
    bucketArgument,
    { name: "grant", summary: "USER=ROLE, such as pi-3=node", isRepeated: true },
  ],
  options: [nodeOption],
  examples: [
    {
      line: "forager infra bucket-policy s3://acme-fleet pis=node office=hub",
      summary: "give pis the rights of a node, and office those of a hub",
    },
  ],
  details: [
    `Roles: ${roleNames.join(", ")}. Apply the policy as the owner of the bucket, for example\n` +
      "with `aws s3api put-bucket-policy`. It replaces the present policy of the bucket.",
    `Page: ${docsPage("guides/bucket-rights.md")}`,
  ],

  async run({ args, flags, out }) {
    const [address = "", ...grants] = args;
    const target = await asUsage(async () => targetOf(address, flags), ["bucket_address"]);
    const policy = bucketPolicy(grants.map(readGrant), target);
    out.result(policy, JSON.stringify(policy, undefined, 2));
  },
};

function readGrant(grant: string): { readonly user: string; readonly role: RoleName } {
  const [user = "", role = ""] = grant.split("=", 2);
  const known = roleNames.find((name) => name === role);
  if (!/^[\w.@$-]{1,64}$/.test(user) || known === undefined) {
    throw usageError(`'${grant}' is not USER=ROLE with a role of ${roleNames.join(", ")}`);
  }
  return { user, role: known };
}
