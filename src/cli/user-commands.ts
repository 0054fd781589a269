import type { CommandEntry } from "./command.ts";

/** Commands of people and programs that may use the API and the dashboard. */
export const userCommands: readonly CommandEntry[] = [
  {
    name: "user add",
    summary: "add a user; prints a link to choose a password",
    load: async () => (await import("./commands/user/add.ts")).userAdd,
  },
  {
    name: "user list",
    summary: "list users and their roles",
    load: async () => (await import("./commands/user/list.ts")).userList,
  },
  {
    name: "user role",
    summary: "give a user another role, and end their sessions",
    load: async () => (await import("./commands/user/role.ts")).userRole,
  },
  {
    name: "user password",
    summary: "print a link to choose another password",
    load: async () => (await import("./commands/user/password.ts")).userPassword,
  },
  {
    name: "user remove",
    summary: "remove a user with their sessions and tokens",
    load: async () => (await import("./commands/user/remove.ts")).userRemove,
  },
  {
    name: "token add",
    summary: "make a token for a program; it is shown once",
    load: async () => (await import("./commands/token/add.ts")).tokenAdd,
  },
  {
    name: "token list",
    summary: "list tokens: scopes, expiry, last use",
    load: async () => (await import("./commands/token/list.ts")).tokenList,
  },
  {
    name: "token revoke",
    summary: "refuse a token from now on",
    load: async () => (await import("./commands/token/revoke.ts")).tokenRevoke,
  },
];
