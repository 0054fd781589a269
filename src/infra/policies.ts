import { conditionalReferer } from "../bucket/index.ts";
import { inScope, keysWith, type Right, type RoleName, type RoleScope } from "./roles.ts";

export interface PolicyTarget extends RoleScope {
  /** ARN of the bucket: `arn:aws:s3:::NAME`. */
  readonly arn: string;
}

export interface Statement {
  readonly Sid: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly Principal?: Readonly<Record<string, readonly string[]>>;
}

export interface Policy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

/** For AWS: S3 itself refuses unconditional writes to the queue, so a bug cannot overwrite a queue by accident. */
export function identityPolicy(role: RoleName, target: PolicyTarget): Policy {
  return { Version: "2012-10-17", Statement: awsStatements(role, target) };
}

/**
 * For Ceph and other stores with bucket policies. A policy cannot require a condition there, but the
 * `Referer` that only writes with a condition have.
 */
export function bucketPolicy(
  grants: readonly { readonly user: string; readonly role: RoleName }[],
  target: PolicyTarget,
): Policy {
  const statements = grants.flatMap(({ user, role }) =>
    plainStatements(role, target).map((statement) => ({
      ...statement,
      Sid: `${statement.Sid}${sidOf(user)}`,
      Principal: { AWS: [`arn:aws:iam:::user/${user}`] },
    })),
  );
  return { Version: "2012-10-17", Statement: statements };
}

function reading({ arn, ...scope }: PolicyTarget): readonly Statement[] {
  return [
    // Without the right to list, a store answers 403 instead of 404 for a key that does not exist.
    { Sid: "List", Effect: "Allow", Action: ["s3:ListBucket"], Resource: [arn] },
    {
      Sid: "Read",
      Effect: "Allow",
      Action: ["s3:GetObject"],
      Resource: [`${arn}/${inScope("*", scope)}`],
    },
  ];
}

function awsStatements(role: RoleName, target: PolicyTarget): readonly Statement[] {
  const of = (...rights: readonly Right[]) => resources(role, rights, target);
  const put = ["s3:PutObject"];
  const found: readonly Statement[] = [
    ...reading(target),
    { Sid: "Create", Effect: "Allow", Action: put, Resource: of("create"), Condition: { Null: { "s3:if-none-match": "false" } } }, // prettier-ignore
    { Sid: "Replace", Effect: "Allow", Action: put, Resource: of("replace") },
    { Sid: "ReplaceOnlyWhatWasRead", Effect: "Deny", Action: put, Resource: of("replace"), Condition: { Null: { "s3:if-none-match": "true", "s3:if-match": "true" } } }, // prettier-ignore
    { Sid: "Write", Effect: "Allow", Action: put, Resource: of("write") },
    { Sid: "Delete", Effect: "Allow", Action: ["s3:DeleteObject"], Resource: of("delete") },
  ];
  return found.filter(({ Resource }) => Resource.length > 0);
}

function plainStatements(role: RoleName, target: PolicyTarget): readonly Statement[] {
  const of = (...rights: readonly Right[]) => resources(role, rights, target);
  const put = ["s3:PutObject"];
  const found: readonly Statement[] = [
    ...reading(target),
    { Sid: "WriteWithCondition", Effect: "Allow", Action: put, Resource: of("create", "replace"), Condition: { StringEquals: { "aws:Referer": conditionalReferer } } }, // prettier-ignore
    { Sid: "Write", Effect: "Allow", Action: put, Resource: of("write") },
    { Sid: "Delete", Effect: "Allow", Action: ["s3:DeleteObject"], Resource: of("delete") },
  ];
  return found.filter(({ Resource }) => Resource.length > 0);
}

const resources = (role: RoleName, rights: readonly Right[], target: PolicyTarget) =>
  [...new Set(rights.flatMap((right) => keysWith(role, right, target)))].map(
    (key) => `${target.arn}/${key}`,
  );

const sidOf = (user: string) => user.replaceAll(/[^A-Za-z0-9]/g, "");
