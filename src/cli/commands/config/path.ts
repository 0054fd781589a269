import { existsSync } from "node:fs";
import type { Command } from "../../frame/command.ts";
import { filesOf } from "./files.ts";

export const configPath: Command = {
  needs: "nothing",
  examples: [
    { line: "forager config path", summary: "where settings are read from, the last one wins" },
    { line: "forager config path --json", summary: "the same for a program" },
  ],

  async run(context) {
    const { user, project } = await filesOf(context);
    const files = [
      { scope: "user", file: user, exists: existsSync(user) },
      {
        scope: "project",
        file: project ?? `${context.cwd}/forager.toml`,
        exists: project !== undefined,
      },
    ];
    context.out.table(files, [
      { title: "scope", value: ({ scope }) => scope },
      { title: "state", value: ({ exists }) => (exists ? "read" : "does not exist") },
      { title: "file", value: ({ file }) => file, isNeverCut: true },
    ]);
  },
};
