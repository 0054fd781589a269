import type { Noun } from "../../frame/command.ts";

export const infraNoun: Noun = {
  name: "infra",
  summary: "rights and rules for the store of a bucket",
  commands: [
    {
      name: "infra policy",
      summary: "print the policy of a role, for AWS",
      load: async () => (await import("./policy.ts")).infraPolicy,
    },
    {
      name: "infra bucket-policy",
      summary: "print the policy of a bucket, for Ceph and others",
      load: async () => (await import("./bucket-policy.ts")).infraBucketPolicy,
    },
    {
      name: "infra lifecycle",
      summary: "print the rules by which a store deletes old objects",
      load: async () => (await import("./lifecycle.ts")).infraLifecycle,
    },
    {
      name: "infra cloudformation",
      summary: "print a template: the bucket and all policies",
      load: async () => (await import("./cloudformation.ts")).infraCloudformation,
    },
    {
      name: "infra apply-outputs",
      summary: "write the outputs of a stack into the settings",
      load: async () => (await import("./apply-outputs.ts")).infraApplyOutputs,
    },
  ],
};
