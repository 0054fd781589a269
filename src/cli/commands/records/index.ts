import type { Noun } from "../../frame/command.ts";

export const recordsNoun: Noun = {
  name: "records",
  summary: "files and index of companies and people",
  commands: [
    {
      name: "records check",
      summary: "check files, values and links of all records",
      load: async () => (await import("./check.ts")).recordsCheck,
    },
    {
      name: "records repair",
      summary: "repair what `records check` finds",
      load: async () => (await import("./check.ts")).recordsRepair,
    },
    {
      name: "records quarantine",
      summary: "list, restore or discard what a repair removed",
      load: async () => (await import("./quarantine.ts")).recordsQuarantine,
    },
    {
      name: "records rebuild",
      summary: "rebuild the index and the files",
      load: async () => (await import("./rebuild.ts")).recordsRebuild,
    },
    {
      name: "records ingest",
      summary: "import manual edits of files",
      load: async () => (await import("./ingest.ts")).recordsIngest,
    },
    {
      name: "records purge",
      summary: "delete people and personal addresses that are too old",
      load: async () => (await import("./purge.ts")).recordsPurge,
    },
    {
      name: "records watch",
      summary: "import manual edits as files are saved",
      load: async () => (await import("./watch.ts")).recordsWatch,
    },
  ],
};
