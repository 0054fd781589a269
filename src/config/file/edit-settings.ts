import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parse } from "smol-toml";
import { AppError } from "../../base/app-error.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { acceptLayer } from "../accept.ts";
import { findProjectFile, parseConfigFile } from "./config-file.ts";
import { definitionsByKey, findDefinition, type SettingDefinition } from "../schema/definitions.ts";
import { isSecretForm } from "../schema/setting-schemas.ts";
import { secretForms, toSecret } from "../secrets/read-secret.ts";
import { nearestHint } from "../../base/text/nearest.ts";
import { settingsError } from "../problem.ts";
import { locateTomlKeys } from "./toml-positions.ts";
import { userConfigFile, type UserFolders } from "../user-paths.ts";

export interface SettingsFiles {
  /** For all projects of this user. */
  readonly user: string;
  /**
   * `forager.toml` in this folder or the nearest parent that has one; undefined if there is none.
   */
  readonly project: string | undefined;
}

export async function settingsFiles(user: UserFolders, cwd: string): Promise<SettingsFiles> {
  return { user: userConfigFile(user), project: await findProjectFile(cwd) };
}

/** Throws `unknown_setting` if there is no such setting. */
export function settingOf(key: string): SettingDefinition {
  const definition = findDefinition(key);
  if (definition) return definition;
  const hint = nearestHint(key, definitionsByKey.keys(), (meant) => ` (did you mean ${meant}?)`);
  const message = `there is no setting '${key.slice(0, 80)}'${hint}; \`forager config show\` lists all`;
  throw new AppError("invalid", "unknown_setting", message);
}

export interface SetSettingOptions extends UserFolders {
  readonly file: string;
  readonly key: string;
  /** The value as written on the command line. */
  readonly value: string;
}

/**
 * Writes one setting into a settings file and keeps everything else in it, including comments. The
 * new content is checked first: if anything is wrong, nothing is written.
 */
export async function setSetting(options: SetSettingOptions): Promise<void> {
  const { file, value, home, env } = options;
  const definition = settingOf(options.key);
  const { key } = definition;
  const isReference = isSecretForm(definition.form) && isSecretReference(value);
  if (isSecretForm(definition.form) && !isReference) {
    const message =
      `${key} is a secret and is not written in plain text: give ${secretForms}, ` +
      `in single quotes`;
    throw new AppError("invalid", "secret_setting", message);
  }
  const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const written = isReference ? value.trim() : tomlOf(definition, value);
  const text = withTomlValue(before, {
    path: key.split("."),
    written,
    edit: "forager config edit",
  });
  const layer = parseConfigFile(file, text);
  const { problems } = acceptLayer(layer, { home, env });
  if (problems.length > 0) throw settingsError(problems);
  makeFolder(dirname(file), { mode: 0o700 });
  await writeFileAtomic(file, text);
}

/**
 * The settings in a file, in a form that may be shown: without secrets. Empty if the file does not
 * exist.
 */
export async function shownSettingsOf(
  file: string,
  user: UserFolders,
): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const { values } = acceptLayer(parseConfigFile(file, text), user);
  return Object.fromEntries([...values].map(([key, { display }]) => [key, display]));
}

/** Whether a text says where a secret is: `{ file = "PATH" }` and the like, on one line. */
function isSecretReference(text: string): boolean {
  const written = text.trim();
  if (!/^\{[^\n]*\}$/.test(written)) return false;
  const place = { name: "", folder: "", home: "", env: {} };
  return toSecret(valueAt(`value = ${written}`, ["value"]), place) !== undefined;
}

/** As a person would write it: numbers without quotes, lists as TOML lists. */
function tomlOf({ isNumber, isList }: SettingDefinition, value: string): string {
  if (isNumber && /^-?\d+$/.test(value)) return value;
  if (!isList || value.trim().startsWith("[")) return isList ? value.trim() : JSON.stringify(value);
  const words = value.split(",").map((word) => word.trim());
  return `[${words
    .filter((word) => word !== "")
    .map((word) => JSON.stringify(word))
    .join(", ")}]`;
}

export interface TomlValue {
  readonly path: readonly string[];
  /** The value as TOML. */
  readonly written: string;
  /** The command that opens the file, for cases that this function cannot handle. */
  readonly edit: string;
}

/**
 * The text with `path = written`: in place of the old value, in the existing table, or in a new
 * table.
 */
export function withTomlValue(text: string, { path, written, edit }: TomlValue): string {
  const lines = text.split("\n");
  if (valueAt(text, path) !== undefined) {
    const { line } = locateTomlKeys(text).find(path)!;
    const found = lines[line - 1]!;
    const [, start, rest = ""] = /^([^=]*=\s*)(.*)$/.exec(found) ?? [];
    const [, comment = ""] =
      /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|[^#"'[{]*?)(\s*#.*)?$/.exec(rest) ?? [];
    const isWhole = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#"'[{]+?|\[[^\]]*\])\s*(?:#.*)?$/.test(rest);
    if (start === undefined || !isWhole) throw byHand(path, edit);
    lines[line - 1] = `${start}${written}${comment}`;
    return lines.join("\n");
  }
  const name = path.at(-1)!;
  const group = path.slice(0, -1).join(".");
  const entry = `${name} = ${written}`;
  if (group === "") return `${entry}\n${text}`;
  const header = lines.findIndex((line) => line.trim().replace(/\s*#.*$/, "") === `[${group}]`);
  if (header >= 0) return lines.toSpliced(header + 1, 0, entry).join("\n");
  const firstHeader = lines.findIndex((line) => line.trim().startsWith("["));
  const table = path.slice(0, -1);
  const near = valueAt(text, table) === undefined ? undefined : locateTomlKeys(text).find(table);
  if (near) {
    // The table is written with dotted keys, and TOML allows no header for such a table.
    if (firstHeader >= 0 && near.line > firstHeader) throw byHand(path, edit);
    return lines.toSpliced(near.line, 0, `${path.join(".")} = ${written}`).join("\n");
  }
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${end}${text === "" ? "" : "\n"}[${group}]\n${entry}\n`;
}

function valueAt(text: string, path: readonly string[]): unknown {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return undefined; // the check of the new text reports the problem
  }
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}

const byHand = (path: readonly string[], edit: string) =>
  new AppError(
    "invalid",
    "setting_by_hand",
    `${path.join(".")} cannot be changed in the way the file is written: change it with \`${edit}\``,
  );
