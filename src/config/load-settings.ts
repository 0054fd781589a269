import { homedir } from "node:os";
import { resolve } from "node:path";
import { acceptLayer, display, type Accepted, type SecretFile } from "./accept.ts";
import { readConfigFile, readProjectFile } from "./file/config-file.ts";
import { definitionsByKey } from "./schema/definitions.ts";
import { deriveAddresses } from "./derived-addresses.ts";
import {
  configVariable,
  environmentLayer,
  flagLayer,
  type FlagValue,
  type Layer,
} from "./layer.ts";
import { settingsError, type SettingProblem } from "./problem.ts";
import { separateEnvironment } from "./separate-environment.ts";
import { describeOpenFile } from "./secrets/secret-file-mode.ts";
import { settingsSchema, type Settings } from "./schema/schema.ts";
import {
  defaultDataFolder,
  userConfigFile,
  type Environment,
  type UserFolders,
} from "./user-paths.ts";

export interface LoadOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly home: string;
  /**
   * The flags of the command line by setting key: `{ data: { flag: "--data", value: "here" } }`.
   * The key `config` is special: it names the project file.
   */
  readonly flags?: Readonly<Record<string, FlagValue>>;
}

/** The sources of settings of this process. */
export const processSources = (): Pick<LoadOptions, "cwd" | "env" | "home"> => ({
  cwd: process.cwd(),
  env: process.env,
  home: homedir(),
});

export interface LoadedSettings {
  /** Deeply frozen. */
  readonly settings: Settings;
  /** Every setting, in the order of the schema. */
  readonly values: readonly SettingValue[];
  /**
   * Things that work but should be changed: old names of settings, secret files that others can
   * read.
   */
  readonly warnings: readonly string[];
}

export interface SettingValue {
  readonly key: string;
  readonly value: unknown;
  /** The value in a form that may be shown: secrets are `***`. */
  readonly display: string;
  /**
   * `default`, `/path/forager.toml:12`, `FORAGER_LOG_LEVEL`, `--data`, or the key of another
   * setting.
   */
  readonly source: string;
}

export interface SettingRow {
  readonly key: string;
  readonly value: string;
  readonly source: string;
}

/**
 * Loads settings from all sources: defaults < user file < project file < environment < flags. If
 * anything is wrong in any source, even in a value that another source overrides, throws an
 * AppError `invalid` that lists all problems. Secrets are not read here, but when they are
 * revealed.
 */
export async function loadSettings(options: LoadOptions): Promise<LoadedSettings> {
  const { cwd, env, home, flags = {} } = options;
  const { config, ...settingFlags } = flags;
  const layers = [
    await readConfigFile(userConfigFile(options)),
    await readChosenProjectFile({ cwd, env, config }),
    environmentLayer(env, cwd),
    flagLayer(settingFlags, cwd),
  ];
  const merged = defaults(options);
  const problems: SettingProblem[] = [];
  const warnings: SettingProblem[] = [];
  for (const layer of layers) {
    if (!layer) continue;
    const accepted = acceptLayer(layer, { home, env });
    problems.push(...accepted.problems);
    warnings.push(...accepted.warnings, ...(await openFiles(accepted.secretFiles)));
    merge(merged, accepted.values);
  }
  if (problems.length > 0) throw settingsError(problems);
  separateEnvironment(merged);
  deriveAddresses(merged);

  const values = [...definitionsByKey.keys()].map((key) => {
    const { value, display, source } = merged.get(key)!;
    return Object.freeze({ key, value, display, source });
  });
  return Object.freeze({
    settings: assemble(values),
    values: Object.freeze(values),
    warnings: Object.freeze(warnings.map(({ where, text }) => `${where}: ${text}`)),
  });
}

async function openFiles(files: readonly SecretFile[]): Promise<readonly SettingProblem[]> {
  const warnings: SettingProblem[] = [];
  for (const { file, key, where } of files) {
    const text = await describeOpenFile(file);
    if (text !== undefined) warnings.push({ where, text: `${key}: ${text}` });
  }
  return warnings;
}

/** The rows of `forager config show`. */
export function describeSettings({ values }: LoadedSettings): readonly SettingRow[] {
  return values.map(({ key, display, source }) => ({ key, value: display, source }));
}

interface ChosenFile {
  readonly cwd: string;
  readonly env: Environment;
  readonly config: FlagValue | undefined;
}

/** A file that the user named must exist; a file in a default place need not. */
async function readChosenProjectFile({ cwd, env, config }: ChosenFile): Promise<Layer | undefined> {
  const fromEnv = env[configVariable];
  const chosen =
    config ?? (fromEnv === undefined ? undefined : { flag: configVariable, value: fromEnv });
  if (!chosen) return readProjectFile(resolve(cwd));
  const missing = (text: string) => ({ entries: [], problems: [{ where: chosen.flag, text }] });
  if (chosen.value === "") return missing("is empty: name a settings file, or leave it out");
  const file = resolve(cwd, chosen.value);
  return (await readConfigFile(file)) ?? missing(`there is no file ${file}`);
}

function defaults(user: UserFolders): Map<string, Accepted> {
  const entries = [...definitionsByKey.values()].map(({ key, defaultValue }) => {
    const value = key === "data" ? defaultDataFolder(user) : defaultValue;
    return [key, byDefault(value)] as const;
  });
  return new Map(entries);
}

const byDefault = (value: unknown): Accepted => ({
  value,
  display: display(value),
  source: "default",
});

function merge(merged: Map<string, Accepted>, values: ReadonlyMap<string, Accepted>): void {
  for (const [key, accepted] of values) {
    const { passwordKey } = definitionsByKey.get(key)!;
    // The password from an overridden address must not be sent to the address that overrides it.
    if (passwordKey && merged.get(passwordKey)?.isFromUrl && !values.has(passwordKey)) {
      merged.set(passwordKey, byDefault(undefined));
    }
    merged.set(key, accepted);
  }
}

/**
 * Nests `queue.url` under `queue`, and parses the result with the schema once more to get its type.
 */
function assemble(values: readonly SettingValue[]): Settings {
  const root: Group = {};
  for (const { key, value } of values) {
    const path = key.split(".");
    const name = path.pop()!;
    // Creates a group even if none of its settings has a value.
    const group = path.reduce<Group>((parent, part) => (parent[part] ??= {}) as Group, root);
    if (value !== undefined) group[name] = value;
  }
  return freeze(settingsSchema.parse(root));
}

type Group = Record<string, unknown>;

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value) as unknown[]) {
    if (typeof inner === "object" && inner !== null) freeze(inner);
  }
  return Object.freeze(value);
}
