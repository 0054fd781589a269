import type { Noun } from "../../frame/command.ts";

export const userNoun: Noun = {
  name: "user",
  summary: "people who may sign in, and their roles",
  commands: [
    {
      name: "user add",
      summary: "add a user; prints a link to choose a password",
      load: async () => (await import("./add.ts")).userAdd,
    },
    {
      name: "user list",
      summary: "list users and their roles",
      load: async () => (await import("./list.ts")).userList,
    },
    {
      name: "user role",
      summary: "change the role of a user, and end their sessions",
      load: async () => (await import("./role.ts")).userRole,
    },
    {
      name: "user password",
      summary: "print a link to choose another password",
      load: async () => (await import("./password.ts")).userPassword,
    },
    {
      name: "user remove",
      summary: "remove a user with their sessions and tokens",
      load: async () => (await import("./remove.ts")).userRemove,
    },
  ],
};
