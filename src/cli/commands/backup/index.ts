import type { Noun } from "../../frame/command.ts";

export const backupNoun: Noun = {
  name: "backup",
  summary: "copies of the data folder, and how to restore them",
  commands: [
    {
      name: "backup create",
      summary: "copy the data folder to a file, folder or bucket",
      load: async () => (await import("./create.ts")).backupCreate,
    },
    {
      name: "backup list",
      summary: "list the backups of a folder or bucket",
      load: async () => (await import("./list.ts")).backupList,
    },
    {
      name: "backup verify",
      summary: "read a whole backup and check it",
      load: async () => (await import("./verify.ts")).backupVerify,
    },
    {
      name: "backup restore",
      summary: "replace the data folder with a backup",
      load: async () => (await import("./restore.ts")).backupRestore,
    },
  ],
};
