import type { CommandEntry } from "./command.ts";

/** Commands of the suppression list. */
export const suppressCommands: readonly CommandEntry[] = [
  {
    name: "suppress add",
    summary: "add addresses, domains, phone numbers or places",
    load: async () => (await import("./commands/suppress/add.ts")).suppressAdd,
  },
  {
    name: "suppress list",
    summary: "list the entries, or say whether values are listed",
    load: async () => (await import("./commands/suppress/list.ts")).suppressList,
  },
  {
    name: "suppress remove",
    summary: "remove values from the list",
    load: async () => (await import("./commands/suppress/remove.ts")).suppressRemove,
  },
  {
    name: "suppress import",
    summary: "add the people of a CRM's opt-out file",
    load: async () => (await import("./commands/suppress/import.ts")).suppressImport,
  },
];
