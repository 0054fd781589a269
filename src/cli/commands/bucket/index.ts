import type { Noun } from "../../frame/command.ts";

export const bucketNoun: Noun = {
  name: "bucket",
  summary: "objects that a fleet shares",
  commands: [
    {
      name: "bucket create",
      summary: "create the bucket of an address",
      load: async () => (await import("./create.ts")).bucketCreate,
    },
    {
      name: "bucket ls",
      summary: "list objects",
      load: async () => (await import("./ls.ts")).bucketLs,
    },
    {
      name: "bucket cat",
      summary: "print or fetch one object",
      load: async () => (await import("./cat.ts")).bucketCat,
    },
    {
      name: "bucket put",
      summary: "write one object, optionally with a condition",
      load: async () => (await import("./put.ts")).bucketPut,
    },
    {
      name: "bucket usage",
      summary: "show requests and costs of this node, or what is stored",
      load: async () => (await import("./usage.ts")).bucketUsage,
    },
    {
      name: "bucket probe",
      summary: "check if a store can coordinate a fleet",
      load: async () => (await import("./probe.ts")).bucketProbe,
    },
  ],
};
