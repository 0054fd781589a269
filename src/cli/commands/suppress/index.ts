import type { Noun } from "../../frame/command.ts";

export const suppressNoun: Noun = {
  name: "suppress",
  summary: "people and companies never to contact",
  commands: [
    {
      name: "suppress add",
      summary: "add addresses, domains, phone numbers or places",
      load: async () => (await import("./add.ts")).suppressAdd,
    },
    {
      name: "suppress list",
      summary: "list the entries, or check if values are listed",
      load: async () => (await import("./list.ts")).suppressList,
    },
    {
      name: "suppress remove",
      summary: "remove values from the list",
      load: async () => (await import("./remove.ts")).suppressRemove,
    },
    {
      name: "suppress import",
      summary: "add the people of a CRM's opt-out file",
      load: async () => (await import("./import.ts")).suppressImport,
    },
  ],
};
