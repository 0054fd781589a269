import type { Noun } from "../../frame/command.ts";

export const tokenNoun: Noun = {
  name: "token",
  summary: "secrets for programs that call the API",
  commands: [
    {
      name: "token add",
      summary: "create a token for a program; it is shown once",
      load: async () => (await import("./add.ts")).tokenAdd,
    },
    {
      name: "token list",
      summary: "list tokens: scopes, expiry, last use",
      load: async () => (await import("./list.ts")).tokenList,
    },
    {
      name: "token revoke",
      summary: "revoke a token",
      load: async () => (await import("./revoke.ts")).tokenRevoke,
    },
  ],
};
