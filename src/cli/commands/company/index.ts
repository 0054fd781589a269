import type { Noun } from "../../frame/command.ts";

export const companyNoun: Noun = {
  name: "company",
  summary: "companies: plain text files, notes, calls, search",
  commands: [
    {
      name: "company add",
      summary: "add a company, or fields to the one with the same domain",
      load: async () => (await import("./add.ts")).companyAdd,
    },
    {
      name: "company show",
      summary: "show a company",
      load: async () => (await import("./show.ts")).companyShow,
    },
    {
      name: "company set",
      summary: "set fields of a company",
      load: async () => (await import("./set.ts")).companySet,
    },
    {
      name: "company unset",
      summary: "remove values",
      load: async () => (await import("./set.ts")).companyUnset,
    },
    {
      name: "company note",
      summary: "add a note",
      load: async () => (await import("./parts/entry.ts")).companyNote,
    },
    {
      name: "company meeting",
      summary: "add the minutes of a meeting",
      load: async () => (await import("./parts/entry.ts")).companyMeeting,
    },
    {
      name: "company call",
      summary: "log a call, and when to call again",
      load: async () => (await import("./parts/entry.ts")).companyCall,
    },
    {
      name: "company tag",
      summary: "add or remove tags",
      load: async () => (await import("./tag.ts")).companyTag,
    },
    {
      name: "company exclude",
      summary: "exclude a company from campaigns and lists",
      load: async () => (await import("./exclude.ts")).companyExclude,
    },
    {
      name: "company search",
      summary: "find companies by any words",
      load: async () => (await import("./search.ts")).companySearch,
    },
    {
      name: "company list",
      summary: "list companies, with filters",
      load: async () => (await import("./search.ts")).companyList,
    },
    {
      name: "company to-call",
      summary: "list companies to call: callbacks, then new ones",
      load: async () => (await import("./to-call.ts")).companyToCall,
    },
    {
      name: "company who",
      summary: "look up a company by address or domain",
      load: async () => (await import("./parts/who.ts")).companyWho,
    },
    {
      name: "company check-emails",
      summary: "check in DNS if the domains of addresses accept mail",
      load: async () => (await import("./check-emails.ts")).companyCheckEmails,
    },
    {
      name: "company duplicates",
      summary: "list companies that may be the same",
      load: async () => (await import("./duplicates.ts")).companyDuplicates,
    },
    {
      name: "company merge",
      summary: "merge two companies",
      load: async () => (await import("./merge.ts")).companyMerge,
    },
    {
      name: "company unmerge",
      summary: "undo a merge",
      load: async () => (await import("./unmerge.ts")).companyUnmerge,
    },
    {
      name: "company distinct",
      summary: "mark two companies as distinct",
      load: async () => (await import("./distinct.ts")).companyDistinct,
    },
    {
      name: "company resolve",
      summary: "merge companies that are certainly the same",
      load: async () => (await import("./resolve.ts")).companyResolve,
    },
    {
      name: "company history",
      summary: "show who changed what, when, and from which source",
      load: async () => (await import("./history.ts")).companyHistory,
    },
    {
      name: "company restore",
      summary: "restore a field, or the whole record, to an earlier state",
      load: async () => (await import("./history.ts")).companyRestore,
    },
    {
      name: "company delete",
      summary: "delete a company; `restore` brings it back",
      load: async () => (await import("./delete.ts")).companyDelete,
    },
    {
      name: "company forget",
      summary: "delete a company for good, with its history",
      load: async () => (await import("./forget.ts")).companyForget,
    },
    {
      name: "company open",
      summary: "edit the file of a company in your editor",
      load: async () => (await import("./open.ts")).companyOpen,
    },
  ],
};
