import { assert } from "../base/app-error.ts";
import {
  definitionsByKey,
  definitionsByVariable,
  type SettingDefinition,
} from "./schema/definitions.ts";
import { nearestHint } from "../base/text/nearest.ts";
import type { SettingProblem } from "./problem.ts";
import type { Environment } from "./user-paths.ts";

/** The values of one source, as written. For each key, later layers override earlier ones. */
export interface Layer {
  readonly entries: readonly SettingEntry[];
  readonly problems: readonly SettingProblem[];
}

export interface SettingEntry {
  readonly definition: SettingDefinition;
  readonly raw: unknown;
  /** As shown by `config show`. */
  readonly source: string;
  /** The place in a problem: the source, with the column if there is one. */
  readonly where: string;
  readonly line?: number;
  /** The name that was used, if it is the name of the previous version. */
  readonly earlierName?: string;
  /** The folder to which relative paths are relative. */
  readonly folder: string;
}

export interface FlagValue {
  /** As the user typed it: `--data`. Used in messages and as the source. */
  readonly flag: string;
  readonly value: string;
}

/** Names the project file; `--config` overrides it. */
export const configVariable = "FORAGER_CONFIG";
/** Names the campaign of a terminal; an argument and `--campaign` override it. */
export const campaignVariable = "FORAGER_CAMPAIGN";

/**
 * All variables FORAGER_* are checked, because a misspelt one would be ignored silently. Only
 * variables of tests are exempt.
 */
export function environmentLayer(env: Environment, cwd: string): Layer {
  const entries: SettingEntry[] = [];
  const problems: SettingProblem[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("FORAGER_") || value === undefined) continue;
    if (name === configVariable || name === campaignVariable || name.startsWith("FORAGER_TEST_"))
      continue;
    const definition = definitionsByVariable.get(name);
    if (definition) {
      const entry = textEntry({ definition, text: value, source: name, folder: cwd });
      entries.push(name === definition.variable ? entry : { ...entry, earlierName: name });
    } else {
      const names = [...definitionsByVariable.keys(), configVariable, campaignVariable];
      const hint = nearestHint(name, names, (valid) => `; the nearest valid name is ${valid}`);
      problems.push({ where: name, text: `unknown variable${hint}` });
    }
  }
  return { entries, problems };
}

export function flagLayer(flags: Readonly<Record<string, FlagValue>>, cwd: string): Layer {
  const entries = Object.entries(flags).map(([key, { flag, value }]) => {
    const definition = definitionsByKey.get(key);
    assert(definition, `flag ${flag} is for ${key}, which is not a setting`);
    return textEntry({ definition, text: value, source: flag, folder: cwd });
  });
  return { entries, problems: [] };
}

interface TextEntry {
  readonly definition: SettingDefinition;
  readonly text: string;
  readonly source: string;
  readonly folder: string;
}

function textEntry({ definition, text, source, folder }: TextEntry): SettingEntry {
  const raw = definition.isNumber ? toNumber(text) : text;
  return { definition, raw, source, where: source, folder };
}

/**
 * Converts plain decimal digits to a number. Anything else stays text, which the schema refuses.
 */
function toNumber(text: string): number | string {
  return /^-?(?:0|[1-9]\d*)$/.test(text) ? Number(text) : text;
}
