import { assert } from "../base/app-error.ts";
import { definitionsByKey, definitionsByVariable, type SettingDefinition } from "./definitions.ts";
import { nearestHint } from "../base/nearest.ts";
import type { SettingProblem } from "./problem.ts";
import type { Environment } from "./user-paths.ts";

/** What one source says, as written; later layers win over earlier ones, key by key. */
export interface Layer {
  readonly entries: readonly SettingEntry[];
  readonly problems: readonly SettingProblem[];
}

export interface SettingEntry {
  readonly definition: SettingDefinition;
  readonly raw: unknown;
  /** As shown by `config show`. */
  readonly source: string;
  /** As shown in a problem: the source, with the column if there is one. */
  readonly where: string;
  readonly line?: number;
  /** The name by which it was set, if that is the name of the version before. */
  readonly earlierName?: string;
  /** What a relative path is relative to. */
  readonly folder: string;
}

export interface FlagValue {
  /** As the user typed it, for messages and as the source: `--data`. */
  readonly flag: string;
  readonly value: string;
}

/** Names the project file; `--config` wins over it. */
export const configVariable = "FORAGER_CONFIG";
/** Names the campaign of a terminal; an argument and `--campaign` win over it. */
export const campaignVariable = "FORAGER_CAMPAIGN";

/** A misspelt variable would be ignored in silence, so all of FORAGER_* is ours but for tests'. */
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
    assert(definition, `flag ${flag} is for ${key}, which is no setting`);
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

/** Only plain decimal digits are a number; anything else stays text, which the schema refuses. */
function toNumber(text: string): number | string {
  return /^-?(?:0|[1-9]\d*)$/.test(text) ? Number(text) : text;
}
