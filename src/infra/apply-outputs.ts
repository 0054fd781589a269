import * as z from "zod";
import { AppError } from "../base/app-error.ts";
import { fleetRoles, logicalName } from "./cloudformation.ts";

import type { RoleName } from "./roles.ts";

/** The output of `aws cloudformation describe-stacks`. */
const described = z.object({
  Stacks: z
    .array(
      z.object({
        Outputs: z.array(z.object({ OutputKey: z.string(), OutputValue: z.string() })).max(200),
      }),
    )
    .length(1),
});
/** Alternatively, an object of output names and values. */
const plain = z.record(z.string(), z.string());

export interface StackOutputs {
  /** For `bucket.url`. */
  readonly bucketUrl: string;
  /** ARNs of the policies by role, for `roles.ROLE`. */
  readonly policies: Readonly<Partial<Record<RoleName, string>>>;
}

/** Throws `invalid` unless the text names a bucket and a region. */
export function readStackOutputs(text: string): StackOutputs {
  const values = valuesOf(text);
  const { BucketName: bucket, Region: region } = values;
  if (
    !bucket ||
    !region ||
    !/^[a-z0-9][a-z0-9.-]{2,62}$/.test(bucket) ||
    !/^[a-z0-9-]{3,32}$/.test(region)
  ) {
    const words =
      "the outputs have no valid BucketName and Region: give the JSON of `aws cloudformation describe-stacks --stack-name NAME`";
    throw new AppError("invalid", "stack_outputs", words);
  }
  const policies = fleetRoles.flatMap((role) => {
    const arn = values[logicalName(role)];
    if (arn === undefined) return [];
    if (/^arn:[\w-]+:iam::\d{12}:policy\/[\w+=,.@/-]{1,640}$/.test(arn)) return [[role, arn]];
    throw new AppError("invalid", "stack_outputs", `${logicalName(role)} in the outputs is not the ARN of a policy: '${arn.slice(0, 100)}'`); // prettier-ignore
  });
  return {
    bucketUrl: `s3://${bucket}?region=${region}`,
    policies: Object.fromEntries(policies) as StackOutputs["policies"],
  };
}

function valuesOf(text: string): Readonly<Record<string, string>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AppError("invalid", "stack_outputs", "the outputs are not JSON: give the file that `aws cloudformation describe-stacks` printed"); // prettier-ignore
  }
  const stack = described.safeParse(json);
  if (stack.success) {
    const [{ Outputs } = { Outputs: [] }] = stack.data.Stacks;
    return Object.fromEntries(
      Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    );
  }
  return plain.safeParse(json).data ?? {};
}
