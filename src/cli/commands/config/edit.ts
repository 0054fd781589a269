import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { loadSettings, shownSettingsOf } from "../../../config/index.ts";
import type { Command } from "../../frame/command.ts";
import { openInEditor } from "../company/parts/editor.ts";
import { chosenFile, whichFileOptions } from "./files.ts";

export const configEdit: Command = {
  needs: "nothing",
  options: whichFileOptions,
  examples: [
    { line: "forager config edit", summary: "open the settings file in $EDITOR, then check it" },
    { line: "forager config edit --user", summary: "the file for all projects of this user" },
  ],
  details: ["Exits 2 and says what is wrong if the edited settings are not valid."],

  async run(context) {
    const file = await chosenFile(context);
    makeFolder(dirname(file), { mode: 0o700 });
    if (!existsSync(file)) await writeFile(file, "# `forager config show` lists all settings\n");
    const user = { home: homedir(), env: process.env };
    await using _state = await context.recordState(() => shownSettingsOf(file, user));
    await openInEditor(file);
    const flags = { config: { flag: "--file", value: file } };
    await loadSettings({ cwd: context.cwd, ...user, flags });
    context.out.result({ file }, `${file} is valid`);
  },
};
