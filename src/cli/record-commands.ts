import type { CommandEntry } from "./command.ts";

/** What is done with companies and people. */
export const recordCommands: readonly CommandEntry[] = [
  {
    name: "company add",
    summary: "add a company, or to the one with the same domain",
    load: async () => (await import("./commands/records/add.ts")).companyAdd,
  },
  {
    name: "company show",
    summary: "show a company",
    load: async () => (await import("./commands/records/show.ts")).companyShow,
  },
  {
    name: "company set",
    summary: "write fields of a company",
    load: async () => (await import("./commands/records/set.ts")).companySet,
  },
  {
    name: "company unset",
    summary: "remove values",
    load: async () => (await import("./commands/records/set.ts")).companyUnset,
  },
  {
    name: "company note",
    summary: "add a note",
    load: async () => (await import("./commands/records/entry.ts")).companyNote,
  },
  {
    name: "company meeting",
    summary: "add the minutes of a meeting",
    load: async () => (await import("./commands/records/entry.ts")).companyMeeting,
  },
  {
    name: "company call",
    summary: "log a call, and when to call again",
    load: async () => (await import("./commands/records/entry.ts")).companyCall,
  },
  {
    name: "company tag",
    summary: "add or remove tags",
    load: async () => (await import("./commands/records/tag.ts")).companyTag,
  },
  {
    name: "company exclude",
    summary: "leave a company out of campaigns and lists",
    load: async () => (await import("./commands/records/tag.ts")).companyExclude,
  },
  {
    name: "company search",
    summary: "find companies by any words",
    load: async () => (await import("./commands/records/search.ts")).companySearch,
  },
  {
    name: "company list",
    summary: "list companies, with filters",
    load: async () => (await import("./commands/records/search.ts")).companyList,
  },
  {
    name: "company to-call",
    summary: "list whom to call now: callbacks, then new companies",
    load: async () => (await import("./commands/records/to-call.ts")).companyToCall,
  },
  {
    name: "company who",
    summary: "look up a company by address or domain",
    load: async () => (await import("./commands/records/who.ts")).companyWho,
  },
  {
    name: "company check-emails",
    summary: "ask DNS whether the domains of addresses take mail",
    load: async () => (await import("./commands/records/check-emails.ts")).companyCheckEmails,
  },
  {
    name: "company duplicates",
    summary: "companies that may be the same",
    load: async () => (await import("./commands/records/duplicates.ts")).companyDuplicates,
  },
  {
    name: "company merge",
    summary: "merge two companies",
    load: async () => (await import("./commands/records/merge.ts")).companyMerge,
  },
  {
    name: "company unmerge",
    summary: "undo a merge",
    load: async () => (await import("./commands/records/distinct.ts")).companyUnmerge,
  },
  {
    name: "company distinct",
    summary: "mark two companies as different",
    load: async () => (await import("./commands/records/distinct.ts")).companyDistinct,
  },
  {
    name: "company resolve",
    summary: "merge companies that are surely the same",
    load: async () => (await import("./commands/records/resolve.ts")).companyResolve,
  },
  {
    name: "company history",
    summary: "who wrote what, when, and from where",
    load: async () => (await import("./commands/records/history.ts")).companyHistory,
  },
  {
    name: "company restore",
    summary: "restore a field, or the whole record, to an earlier state",
    load: async () => (await import("./commands/records/history.ts")).companyRestore,
  },
  {
    name: "company delete",
    summary: "delete a company; `restore` brings it back",
    load: async () => (await import("./commands/records/delete.ts")).companyDelete,
  },
  {
    name: "company forget",
    summary: "delete a company for good, with its history",
    load: async () => (await import("./commands/records/forget.ts")).companyForget,
  },
  {
    name: "company open",
    summary: "edit the file of a company in your editor",
    load: async () => (await import("./commands/records/open.ts")).companyOpen,
  },
  {
    name: "person add",
    summary: "add a person, also to a company",
    load: async () => (await import("./commands/records/add.ts")).personAdd,
  },
  {
    name: "person show",
    summary: "show a person",
    load: async () => (await import("./commands/records/show.ts")).personShow,
  },
  {
    name: "person set",
    summary: "write fields of a person",
    load: async () => (await import("./commands/records/set.ts")).personSet,
  },
  {
    name: "person unset",
    summary: "remove values",
    load: async () => (await import("./commands/records/set.ts")).personUnset,
  },
  {
    name: "person note",
    summary: "add a note",
    load: async () => (await import("./commands/records/entry.ts")).personNote,
  },
  {
    name: "person meeting",
    summary: "add the minutes of a meeting",
    load: async () => (await import("./commands/records/entry.ts")).personMeeting,
  },
  {
    name: "person call",
    summary: "log a call, and when to call again",
    load: async () => (await import("./commands/records/entry.ts")).personCall,
  },
  {
    name: "person tag",
    summary: "add or remove tags",
    load: async () => (await import("./commands/records/tag.ts")).personTag,
  },
  {
    name: "person search",
    summary: "find people by any words",
    load: async () => (await import("./commands/records/search.ts")).personSearch,
  },
  {
    name: "person list",
    summary: "list people, with filters",
    load: async () => (await import("./commands/records/search.ts")).personList,
  },
  {
    name: "person history",
    summary: "who wrote what, when, and from where",
    load: async () => (await import("./commands/records/history.ts")).personHistory,
  },
  {
    name: "person restore",
    summary: "restore a field, or the whole record, to an earlier state",
    load: async () => (await import("./commands/records/history.ts")).personRestore,
  },
  {
    name: "person delete",
    summary: "delete a person; `restore` brings it back",
    load: async () => (await import("./commands/records/delete.ts")).personDelete,
  },
  {
    name: "person forget",
    summary: "delete a person for good, with the history",
    load: async () => (await import("./commands/records/forget.ts")).personForget,
  },
  {
    name: "person open",
    summary: "edit the file of a person in your editor",
    load: async () => (await import("./commands/records/open.ts")).personOpen,
  },
  {
    name: "records check",
    summary: "check files, values and links of all records",
    load: async () => (await import("./commands/records/check.ts")).recordsCheck,
  },
  {
    name: "records repair",
    summary: "repair what `records check` finds",
    load: async () => (await import("./commands/records/check.ts")).recordsRepair,
  },
  {
    name: "records quarantine",
    summary: "list, restore or discard what a repair took out",
    load: async () => (await import("./commands/records/quarantine.ts")).recordsQuarantine,
  },
  {
    name: "records rebuild",
    summary: "rebuild the index and the files",
    load: async () => (await import("./commands/records/upkeep.ts")).recordsRebuild,
  },
  {
    name: "records ingest",
    summary: "import manual edits of files",
    load: async () => (await import("./commands/records/upkeep.ts")).recordsIngest,
  },
  {
    name: "records purge",
    summary: "delete people and personal addresses that are too old",
    load: async () => (await import("./commands/records/purge.ts")).recordsPurge,
  },
  {
    name: "records watch",
    summary: "import manual edits as files are saved",
    load: async () => (await import("./commands/records/upkeep.ts")).recordsWatch,
  },
  {
    name: "undo",
    summary: "undo the last change that was made by hand here",
    load: async () => (await import("./commands/records/undo.ts")).undo,
  },
  {
    name: "import companies",
    summary: "import companies from CSV, JSON, GeoJSON or vCard",
    load: async () => (await import("./commands/exchange/import-companies.ts")).importCompanies,
  },
  {
    name: "export companies",
    summary: "export companies as CSV, JSON Lines or vCard",
    load: async () => (await import("./commands/exchange/export-records.ts")).exportCompanies,
  },
  {
    name: "export changes",
    summary: "export what changed since the last time",
    load: async () => (await import("./commands/exchange/export-changes.ts")).exportChangesCommand,
  },
  {
    name: "export emails",
    summary: "export e-mail addresses, each once",
    load: async () => (await import("./commands/exchange/export-records.ts")).exportEmails,
  },
];
