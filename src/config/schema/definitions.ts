import * as z from "zod";
import { assert } from "../../base/app-error.ts";
import { settingMeta, settingsSchema, type SettingMeta } from "./schema.ts";

/** One setting, as found in the schema. */
export interface SettingDefinition extends SettingMeta {
  /** With dots, as in a file: `queue.leaseMs`. */
  readonly key: string;
  /** `FORAGER_QUEUE_LEASE_MS` */
  readonly variable: string;
  readonly isNumber: boolean;
  /** Undefined if there is no default, or if it depends on the machine. */
  readonly defaultValue: unknown;
  readonly schema: z.ZodType;
}

/** Every setting by its key, in the order of the schema. */
export const definitionsByKey: ReadonlyMap<string, SettingDefinition> = new Map(
  walk(settingsSchema, []).map((definition) => [definition.key, definition]),
);

const definitionsByEarlierKey: ReadonlyMap<string, SettingDefinition> = new Map(
  [...definitionsByKey.values()].flatMap((definition) =>
    definition.earlierKey === undefined ? [] : [[definition.earlierKey, definition] as const],
  ),
);

/** The setting with this key, or with this key in the previous version. */
export const findDefinition = (key: string): SettingDefinition | undefined =>
  definitionsByKey.get(key) ?? definitionsByEarlierKey.get(key);

/** All settings by variable name, including variables for keys of the previous version. */
export const definitionsByVariable: ReadonlyMap<string, SettingDefinition> = new Map([
  ...[...definitionsByKey.values()].map((one) => [one.variable, one] as const),
  ...[...definitionsByEarlierKey].map(([key, one]) => [variableName(key), one] as const),
]);

/** The tables of settings: `log`, `queue`. */
export const groups: ReadonlySet<string> = new Set(
  [...definitionsByKey.keys()].flatMap((key) => {
    const parts = key.split(".");
    return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join("."));
  }),
);

/** `queue.leaseMs` → `FORAGER_QUEUE_LEASE_MS` */
function variableName(key: string): string {
  const words = key.replaceAll(".", "_").replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2");
  return `FORAGER_${words.toUpperCase()}`;
}

function walk(group: z.ZodObject, path: readonly string[]): readonly SettingDefinition[] {
  return Object.entries(group.shape).flatMap(([name, schema]) => {
    if (schema instanceof z.ZodObject) return walk(schema, [...path, name]);
    assert(schema instanceof z.ZodType, `${name} is not a schema of the classic kind`);
    const key = [...path, name].join(".");
    const meta = settingMeta.get(schema);
    assert(meta, `setting ${key} has no description`);
    const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
    return {
      ...meta,
      key,
      variable: variableName(key),
      isNumber: inner instanceof z.ZodNumber,
      defaultValue: schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined,
      schema,
    };
  });
}
