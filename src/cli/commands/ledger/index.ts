import type { Noun } from "../../frame/command.ts";

export const ledgerNoun: Noun = {
  name: "ledger",
  summary: "facts about companies, field by field",
  commands: [
    {
      name: "ledger status",
      summary: "count what this node has, and what it has not shared yet",
      load: async () => (await import("./status.ts")).ledgerStatus,
    },
    {
      name: "ledger log",
      summary: "list what was written, newest last",
      load: async () => (await import("./log.ts")).ledgerLog,
    },
    {
      name: "ledger show",
      summary: "show a target, now or at an earlier time",
      load: async () => (await import("./show.ts")).ledgerShow,
    },
    {
      name: "ledger set",
      summary: "write fields of a target",
      load: async () => (await import("./set.ts")).ledgerSet,
    },
    {
      name: "ledger verify",
      summary: "check every checksum, here or in a bucket",
      load: async () => (await import("./verify.ts")).ledgerVerify,
    },
    {
      name: "ledger sync",
      summary: "upload own writes and fetch those of other nodes",
      load: async () => (await import("./sync.ts")).ledgerSync,
    },
    {
      name: "ledger compact",
      summary: "fold everything in the bucket into a checkpoint, once",
      load: async () => (await import("./compact.ts")).ledgerCompact,
    },
    {
      name: "ledger conflicts",
      summary: "list concurrent writes that were overwritten",
      load: async () => (await import("./conflicts.ts")).ledgerConflicts,
    },
    {
      name: "ledger quarantine",
      summary: "list writes with timestamps in the future, or re-stamp them",
      load: async () => (await import("./quarantine.ts")).ledgerQuarantine,
    },
    {
      name: "ledger restore",
      summary: "restore an overwritten value",
      load: async () => (await import("./restore.ts")).ledgerRestore,
    },
    {
      name: "ledger forget",
      summary: "erase a target, and remove it from the logs",
      load: async () => (await import("./forget.ts")).ledgerForget,
    },
  ],
};
