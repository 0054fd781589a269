import type { Noun } from "../../frame/command.ts";

export const tokenNoun: Noun = {
  name: "token",
  summary: "secrets by which programs call the API",
  commands: [
    {
      name: "token add",
      summary: "make a token for a program; it is shown once",
      load: async () => (await import("./add.ts")).tokenAdd,
    },
    {
      name: "token list",
      summary: "list tokens: scopes, expiry, last use",
      load: async () => (await import("./list.ts")).tokenList,
    },
    {
      name: "token revoke",
      summary: "refuse a token from now on",
      load: async () => (await import("./revoke.ts")).tokenRevoke,
    },
  ],
};
