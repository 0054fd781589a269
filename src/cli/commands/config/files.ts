import { homedir } from "node:os";
import { resolve } from "node:path";
import { settingsFiles, type SettingsFiles } from "../../../config/index.ts";
import type { BareContext, OptionSpec } from "../../frame/command.ts";

export const whichFileOptions: readonly OptionSpec[] = [
  { flag: "--user", summary: "the file for all projects of this user" },
  { flag: "--file", value: "file", summary: "this settings file", complete: "file" },
];

export const filesOf = ({ cwd }: Pick<BareContext, "cwd">): Promise<SettingsFiles> =>
  settingsFiles({ home: homedir(), env: process.env }, cwd);

/** The file to change: that of the project if there is one, otherwise that of the user. */
export async function chosenFile(context: BareContext): Promise<string> {
  const { flags, cwd } = context;
  const named = flags["file"];
  if (typeof named === "string") return resolve(cwd, named);
  const { user, project } = await filesOf(context);
  return flags["user"] === true ? user : (project ?? user);
}
