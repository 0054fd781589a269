import { lifecycleRules } from "./lifecycle.ts";
import { identityPolicy, type Statement } from "./policies.ts";
import { roleSummaries, type RoleName } from "./roles.ts";

/** Without `publisher`: a published site has its own bucket, which is not in the fleet's template. */
export const fleetRoles = ["node", "hub", "dashboard"] as const satisfies readonly RoleName[];

/** A private bucket with lifecycle rules, and one policy per role to attach to the IAM users or roles of the machines. */
export function cloudFormationTemplate() {
  const arn = "${Bucket.Arn}";
  const policies = fleetRoles.map((role) => [
    logicalName(role),
    {
      Type: "AWS::IAM::ManagedPolicy",
      Properties: {
        Description: `Forager ${role}: ${roleSummaries[role].replaceAll("`", "")}`,
        PolicyDocument: {
          Version: "2012-10-17",
          Statement: identityPolicy(role, { arn, prefix: "" }).Statement.map(substituted),
        },
      },
    },
  ]);
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: "The bucket of a Forager fleet, and one policy for each role",
    Resources: { Bucket: bucket(), ...(Object.fromEntries(policies) as Record<string, object>) },
    Outputs: {
      BucketName: { Value: { Ref: "Bucket" } },
      Region: { Value: { Ref: "AWS::Region" } },
      ...Object.fromEntries(
        fleetRoles.map((role) => [logicalName(role), { Value: { Ref: logicalName(role) } }]),
      ),
    },
  };
}

/** The logical name of a role's policy, in the template and in the outputs of a stack. */
export const logicalName = (role: string) => `${role[0]!.toUpperCase()}${role.slice(1)}Policy`;

const substituted = ({ Resource, ...rest }: Statement) => ({
  ...rest,
  Resource: Resource.map((one) => ({ "Fn::Sub": one })),
});

function bucket() {
  return {
    Type: "AWS::S3::Bucket",
    DeletionPolicy: "Retain",
    UpdateReplacePolicy: "Retain",
    Properties: {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
      LifecycleConfiguration: {
        Rules: lifecycleRules({ prefix: "" }).map(({ id, prefix, days }) => ({
          Id: id,
          Status: "Enabled",
          Prefix: prefix,
          ExpirationInDays: days,
        })),
      },
    },
  };
}
