import type { Noun } from "../../frame/command.ts";

export const exportNoun: Noun = {
  name: "export",
  summary: "export companies or e-mail addresses to a file",
  commands: [
    {
      name: "export companies",
      summary: "export companies as CSV, JSON Lines or vCard",
      load: async () => (await import("./companies.ts")).exportCompanies,
    },
    {
      name: "export changes",
      summary: "export changes since the last export",
      load: async () => (await import("./changes.ts")).exportChangesCommand,
    },
    {
      name: "export emails",
      summary: "export e-mail addresses, each once",
      load: async () => (await import("./companies.ts")).exportEmails,
    },
  ],
};
