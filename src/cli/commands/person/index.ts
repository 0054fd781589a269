import type { Noun } from "../../frame/command.ts";

export const personNoun: Noun = {
  name: "person",
  summary: "people, and the companies they belong to",
  commands: [
    {
      name: "person add",
      summary: "add a person, also to a company",
      load: async () => (await import("../company/add.ts")).personAdd,
    },
    {
      name: "person show",
      summary: "show a person",
      load: async () => (await import("../company/show.ts")).personShow,
    },
    {
      name: "person set",
      summary: "set fields of a person",
      load: async () => (await import("../company/set.ts")).personSet,
    },
    {
      name: "person unset",
      summary: "remove values",
      load: async () => (await import("../company/set.ts")).personUnset,
    },
    {
      name: "person note",
      summary: "add a note",
      load: async () => (await import("../company/parts/entry.ts")).personNote,
    },
    {
      name: "person meeting",
      summary: "add the minutes of a meeting",
      load: async () => (await import("../company/parts/entry.ts")).personMeeting,
    },
    {
      name: "person call",
      summary: "log a call, and when to call again",
      load: async () => (await import("../company/parts/entry.ts")).personCall,
    },
    {
      name: "person tag",
      summary: "add or remove tags",
      load: async () => (await import("../company/tag.ts")).personTag,
    },
    {
      name: "person search",
      summary: "find people by any words",
      load: async () => (await import("../company/search.ts")).personSearch,
    },
    {
      name: "person list",
      summary: "list people, with filters",
      load: async () => (await import("../company/search.ts")).personList,
    },
    {
      name: "person history",
      summary: "show who changed what, when, and from which source",
      load: async () => (await import("../company/history.ts")).personHistory,
    },
    {
      name: "person restore",
      summary: "restore a field, or the whole record, to an earlier state",
      load: async () => (await import("../company/history.ts")).personRestore,
    },
    {
      name: "person delete",
      summary: "delete a person; `restore` brings it back",
      load: async () => (await import("../company/delete.ts")).personDelete,
    },
    {
      name: "person forget",
      summary: "delete a person for good, with the history",
      load: async () => (await import("../company/forget.ts")).personForget,
    },
    {
      name: "person open",
      summary: "edit the file of a person in your editor",
      load: async () => (await import("../company/open.ts")).personOpen,
    },
  ],
};
