import { parseS3 } from "../../../app/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { ArgumentSpec, BareContext, OptionSpec } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";

export const bucketArgument: ArgumentSpec = {
  name: "bucket",
  summary: "its address, as in bucket.url: s3://BUCKET/PREFIX",
};

export const nodeOption: OptionSpec = {
  flag: "--only-node",
  value: "id",
  summary: "limit rights to this node's folders (default: all nodes)",
};

const idRule = /^[0-9a-z]{13}$/;

/** The bucket, prefix and node that policies and rules are printed for. */
export function targetOf(address: string, flags: BareContext["flags"] = {}) {
  if (!address.startsWith("s3://")) {
    throw usageError(`only S3 buckets have policies: '${address}' does not begin with s3://`);
  }
  const { bucket, prefix } = parseS3(address);
  const node = textFlag(flags, "onlyNode");
  if (node !== undefined && !idRule.test(node)) {
    throw usageError(`--only-node takes the id of a node, as \`forager node show\` prints it, not '${node}'`); // prettier-ignore
  }
  const scope = { prefix: prefix.replace(/^\/+|\/+$/g, ""), node };
  return { arn: `arn:aws:s3:::${bucket}`, ...scope };
}
