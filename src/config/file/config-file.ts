import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { definitionsByKey, findDefinition, groups } from "../schema/definitions.ts";
import type { SettingEntry, Layer } from "../layer.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { SettingProblem } from "../problem.ts";
import { readBytes } from "../read-bytes.ts";
import { locateTomlKeys } from "./toml-positions.ts";

const fileBytesMax = 1024 * 1024;

/** Reads the settings of one file, and its problems. Undefined if the file does not exist. */
export async function readConfigFile(file: string): Promise<Layer | undefined> {
  const unreadable = (text: string): Layer => ({ entries: [], problems: [{ where: file, text }] });
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(file, fileBytesMax);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return unreadable(`cannot be read (${code}): check its owner and permissions`);
  }
  if (!bytes)
    return unreadable(`is longer than ${fileBytesMax} bytes: this is not a settings file`);
  try {
    return parseConfigFile(file, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return unreadable("is not UTF-8 text: save it as UTF-8");
  }
}

/** The path of `forager.toml` in `folder` or the nearest parent that has one. */
export async function findProjectFile(folder: string): Promise<string | undefined> {
  const file = join(folder, "forager.toml");
  const isThere = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  const parent = dirname(folder);
  return isThere ? file : parent === folder ? undefined : findProjectFile(parent);
}

/** Reads the file that `findProjectFile` finds. */
export async function readProjectFile(folder: string): Promise<Layer | undefined> {
  const layer = await readConfigFile(join(folder, "forager.toml"));
  const parent = dirname(folder);
  return layer || parent === folder ? layer : readProjectFile(parent);
}

export function parseConfigFile(file: string, text: string): Layer {
  let root: Table;
  try {
    root = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Without the cause: it quotes the lines around the error, which may contain a password.
    const [reason = ""] = error.message.replace("Invalid TOML document: ", "").split("\n", 1);
    const where = `${file}:${error.line}:${error.column}`;
    return { entries: [], problems: [{ where, text: `TOML syntax: ${reason}` }] };
  }
  const positions = locateTomlKeys(text);
  const entries: SettingEntry[] = [];
  const problems: SettingProblem[] = [];

  const visit = (table: Table, parent: readonly string[]): void => {
    for (const [name, raw] of Object.entries(table)) {
      const path = [...parent, name];
      // A quoted name that contains a dot is not the same as a dotted key.
      const key = path.map((part) => (part.includes(".") ? `"${part}"` : part)).join(".");
      const { line, column } = positions.find(path) ?? { line: 1, column: 1 };
      const where = `${file}:${line}:${column}`;
      const definition = findDefinition(key);
      if (definition) {
        const source = `${file}:${line}`;
        const entry = { definition, raw, source, where, line, folder: dirname(file) };
        entries.push(key === definition.key ? entry : { ...entry, earlierName: key });
      } else if (!groups.has(key)) {
        const valid = nearest(key, [...definitionsByKey.keys(), ...groups]);
        const hint =
          valid === undefined
            ? "`forager config show` without this file lists all keys"
            : `the nearest valid key is ${valid}`;
        const text = `unknown key ${printable(key)}; ${hint}`;
        problems.push({ where, text, line });
      } else if (isTable(raw)) {
        visit(raw, path);
      } else {
        problems.push({ where, text: `${key} must be a table: write [${key}]`, line });
      }
    }
  };
  visit(root, []);
  return { entries, problems };
}

type Table = Readonly<Record<string, unknown>>;

// Arrays and dates are objects too; only tables come without a prototype.
const isTable = (value: unknown): value is Table =>
  typeof value === "object" && Object.getPrototypeOf(value) === null;

/** Keys in messages are on one line, and short enough to leave room for the rest. */
const printable = (key: string) => JSON.stringify(key.slice(0, 60)).slice(1, -1);
