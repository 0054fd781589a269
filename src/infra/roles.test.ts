import { expect, test } from "vitest";
import { readStackOutputs } from "./apply-outputs.ts";
import { cloudFormationTemplate } from "./cloudformation.ts";
import { lifecycleRules } from "./lifecycle.ts";
import { bucketPolicy, identityPolicy, type Statement } from "./policies.ts";
import { keysWith, roleNames } from "./roles.ts";

const target = { arn: "arn:aws:s3:::fleet", prefix: "team" };

/** What a policy says about one request, as AWS decides: a denial wins. */
function decide(
  statements: readonly Statement[],
  request: { readonly action: string; readonly key: string; readonly condition?: "if-none-match" | "if-match" }, // prettier-ignore
): boolean {
  const resource = request.key === "" ? target.arn : `${target.arn}/${request.key}`;
  const matching = statements.filter(
    ({ Action, Resource, Condition }) =>
      Action.includes(request.action) &&
      Resource.some((pattern) => matches(pattern, resource)) &&
      Object.entries(Condition?.["Null"] ?? {}).every(
        ([name, isNull]) => (name !== `s3:${request.condition}`) === (isNull === "true"),
      ),
  );
  return (
    matching.some(({ Effect }) => Effect === "Allow") &&
    !matching.some(({ Effect }) => Effect === "Deny")
  );
}

const matches = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split("*").map((part) => part.replaceAll(/[.\\]/g, "\\$&")).join(".*")}$`).test(text); // prettier-ignore

const put = (key: string, condition?: "if-none-match" | "if-match") =>
  ({ action: "s3:PutObject", key, ...(condition && { condition }) }) as const;
const remove = (key: string) => ({ action: "s3:DeleteObject", key });

test("on AWS a node replaces only what it has read, and creates what is not there", () => {
  const { Statement: node } = identityPolicy("node", target);
  expect(decide(node, put("team/shards/0.json.gz"))).toBe(false);
  expect(decide(node, put("team/shards/0.json.gz", "if-match"))).toBe(true);
  expect(decide(node, put("team/shards/0.json.gz", "if-none-match"))).toBe(true);
  expect(decide(node, put("team/ledger/wal/n1/s/1.usv"))).toBe(false);
  expect(decide(node, put("team/ledger/wal/n1/s/1.usv", "if-match"))).toBe(false);
  expect(decide(node, put("team/ledger/wal/n1/s/1.usv", "if-none-match"))).toBe(true);
  expect(decide(node, put("team/bell"))).toBe(true);
});

test("on Ceph a policy allows writes to the queue only with the Referer of those that have a condition", () => {
  const { Statement: statements } = bucketPolicy([{ user: "pi", role: "node" }], target);
  const allowing = statements.filter(({ Action, Resource }) => Action.includes("s3:PutObject") && Resource.includes(`${target.arn}/team/shards/*`)); // prettier-ignore
  expect(allowing.map(({ Effect, Condition }) => [Effect, Condition])).toEqual([
    ["Allow", { StringEquals: { "aws:Referer": "forager:conditional-write" } }],
  ]);
});

test("only a hub deletes journals and checkpoints, and nobody leaves the prefix", () => {
  for (const role of ["node", "dashboard", "hub"] as const) {
    const { Statement: own } = identityPolicy(role, target);
    const isHub = role === "hub";
    expect(decide(own, remove("team/ledger/checkpoint/1.json"))).toBe(isHub);
    expect(decide(own, remove("team/ledger/wal/n1/s/1.usv"))).toBe(isHub);
    expect(decide(own, put("team/ledger/checkpoint/1.json", "if-none-match"))).toBe(isHub);
    expect(decide(own, remove("team/shards/0.json.gz"))).toBe(false);
    expect(decide(own, remove("team/queue.json"))).toBe(false);
    expect(decide(own, put("other/shards/0.json.gz", "if-match"))).toBe(false);
    expect(decide(own, { action: "s3:GetObject", key: "other/queue.json" })).toBe(false);
    expect(decide(own, { action: "s3:ListBucket", key: "" })).toBe(true);
    expect(decide(own, { action: "s3:PutBucketPolicy", key: "" })).toBe(false);
  }
});

test("a policy for one node lets it write its own journal alone", () => {
  const { Statement: own } = identityPolicy("node", { ...target, node: "n1" });
  expect(decide(own, put("team/ledger/wal/n1/s/1.usv", "if-none-match"))).toBe(true);
  expect(decide(own, put("team/ledger/wal/n2/s/1.usv", "if-none-match"))).toBe(false);
  expect(decide(own, put("team/ledger/heads/n2.json", "if-match"))).toBe(false);
});

test("lifecycle rules match nothing that has to stay", () => {
  const kept = ["queue.json", "control.json", "bell", "shards/0.json.gz", "payloads/1", "done/0/1-a.usv", "lease/ledger-hub.json", "ledger/wal/n/s/1.usv", "ledger/heads/n.json", "ledger/checkpoint/1.json", "ledger/part/a", "ledger/boundary.json", "ledger/archive/n/s/1.usv", "ledger/archive-scrubbed", "fleet/desired.json", "fleet/users.json", "webhooks/endpoints.json", "campaigns/configs/a.json", "exports/positions/a.json", "places/osm/1/t.jsonl.gz", "handlers/a"]; // prettier-ignore
  for (const prefix of ["", "team"]) {
    for (const rule of lifecycleRules({ prefix })) {
      expect(rule.prefix.length).toBeGreaterThan(prefix.length + 1);
      for (const key of kept) {
        const whole = prefix === "" ? key : `${prefix}/${key}`;
        expect(whole.startsWith(rule.prefix), `${rule.id} deletes ${whole}`).toBe(false);
      }
    }
  }
});

test("every role can be printed, and the template names all that a policy needs", () => {
  for (const role of roleNames) {
    expect(keysWith(role, "write", { prefix: "" }).length).toBeGreaterThan(0);
    expect(JSON.stringify(identityPolicy(role, target)).length).toBeLessThan(6_144); // the limit of AWS
  }
  const { Resources, Outputs } = cloudFormationTemplate();
  expect(Object.keys(Resources)).toEqual(["Bucket", "NodePolicy", "HubPolicy", "DashboardPolicy"]);
  expect(Object.keys(Outputs)).toEqual(["BucketName", "Region", "NodePolicy", "HubPolicy", "DashboardPolicy"]); // prettier-ignore
});

test("outputs of a stack become an address; anything else is refused with what to give", () => {
  const outputs = [
    { OutputKey: "BucketName", OutputValue: "fleet-1" },
    { OutputKey: "Region", OutputValue: "eu-central-1" },
    { OutputKey: "HubPolicy", OutputValue: "arn:aws:iam::123456789012:policy/hub" },
    { OutputKey: "Another", OutputValue: "of the user's own" },
  ];
  expect(readStackOutputs(JSON.stringify({ Stacks: [{ Outputs: outputs }] }))).toEqual({
    bucketUrl: "s3://fleet-1?region=eu-central-1",
    policies: { hub: "arn:aws:iam::123456789012:policy/hub" },
  });
  for (const text of ["", "[]", "{}", '{"BucketName":"x y","Region":"a-b-1"}', '{"Stacks":[]}']) {
    expect(() => readStackOutputs(text)).toThrow(/describe-stacks/);
  }
  const odd = JSON.stringify({ BucketName: "abc", Region: "eu-x-1", NodePolicy: "arn:x" });
  expect(() => readStackOutputs(odd)).toThrow(
    "NodePolicy in the outputs is not the ARN of a policy",
  );
});
