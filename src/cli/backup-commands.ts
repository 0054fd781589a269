import type { CommandEntry } from "./command.ts";

/** Copies of a data folder. */
export const backupCommands: readonly CommandEntry[] = [
  {
    name: "backup create",
    summary: "copy the data folder to a file, folder or bucket",
    load: async () => (await import("./commands/backup/create.ts")).backupCreate,
  },
  {
    name: "backup list",
    summary: "list the backups of a folder or bucket",
    load: async () => (await import("./commands/backup/list.ts")).backupList,
  },
  {
    name: "backup verify",
    summary: "read a whole backup and check it",
    load: async () => (await import("./commands/backup/verify.ts")).backupVerify,
  },
  {
    name: "backup restore",
    summary: "replace the data folder with a backup",
    load: async () => (await import("./commands/backup/restore.ts")).backupRestore,
  },
];
