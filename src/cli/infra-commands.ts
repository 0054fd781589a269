import type { CommandEntry } from "./command.ts";

/** Commands that print policies and rules for an object store. */
export const infraCommands: readonly CommandEntry[] = [
  {
    name: "infra policy",
    summary: "print the policy of a role, for AWS",
    load: async () => (await import("./commands/infra/policy.ts")).infraPolicy,
  },
  {
    name: "infra bucket-policy",
    summary: "print the policy of a bucket, for Ceph and others",
    load: async () => (await import("./commands/infra/bucket-policy.ts")).infraBucketPolicy,
  },
  {
    name: "infra lifecycle",
    summary: "print the rules by which a store deletes old objects",
    load: async () => (await import("./commands/infra/lifecycle.ts")).infraLifecycle,
  },
  {
    name: "infra cloudformation",
    summary: "print a template: the bucket and all policies",
    load: async () => (await import("./commands/infra/cloudformation.ts")).infraCloudformation,
  },
  {
    name: "infra apply-outputs",
    summary: "write the outputs of a stack into the settings",
    load: async () => (await import("./commands/infra/apply-outputs.ts")).infraApplyOutputs,
  },
];
