import * as z from "zod";
import { AppError } from "../base/app-error.ts";

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
  /** ARNs of the policies by role, to be shown to the user. */
  readonly policies: Readonly<Record<string, string>>;
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
  const policies = Object.entries(values).filter(([name]) => name.endsWith("Policy"));
  return {
    bucketUrl: `s3://${bucket}?region=${region}`,
    policies: Object.fromEntries(
      policies.map(([name, value]) => [name.replace(/Policy$/, "").toLowerCase(), value]),
    ),
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
