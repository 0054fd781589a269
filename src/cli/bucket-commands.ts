import type { CommandEntry } from "./command.ts";

/** The commands that show and change objects of a bucket. */
export const bucketCommands: readonly CommandEntry[] = [
  {
    name: "bucket create",
    summary: "create the bucket of an address",
    load: async () => (await import("./commands/bucket-create.ts")).bucketCreate,
  },
  {
    name: "bucket ls",
    summary: "list objects",
    load: async () => (await import("./commands/bucket-ls.ts")).bucketLs,
  },
  {
    name: "bucket cat",
    summary: "print or fetch one object",
    load: async () => (await import("./commands/bucket-cat.ts")).bucketCat,
  },
  {
    name: "bucket put",
    summary: "write one object, also on a condition",
    load: async () => (await import("./commands/bucket-put.ts")).bucketPut,
  },
  {
    name: "bucket usage",
    summary: "requests and dollars of this node, or what is stored",
    load: async () => (await import("./commands/bucket-usage.ts")).bucketUsage,
  },
  {
    name: "bucket probe",
    summary: "prove what a store can do",
    load: async () => (await import("./commands/bucket-probe.ts")).bucketProbe,
  },
];
