import { keyOf } from "./config-issues.ts";
import { isSaid, isTable, type ConfigPath, type MergedLayers } from "./config-layers.ts";

/** One value of a campaign's configuration, with its origin. */
export interface ConfigValue {
  /** Such as `politeness.delayMs` or `locations[1]`. */
  readonly key: string;
  readonly value: unknown;
  /** `default`, a file with its line, or the command for the fleet. */
  readonly origin: string;
}

/** All effective values, including defaults, in the order of the schema. */
export function configValues(data: unknown, merged: MergedLayers): readonly ConfigValue[] {
  const values: ConfigValue[] = [];
  const visit = (value: unknown, path: ConfigPath): void => {
    if (value === undefined) return;
    if (isTable(value) && !path.some((part) => typeof part === "number")) {
      for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
    } else if (Array.isArray(value) && value.some(isTable)) {
      for (const [at, item] of value.entries()) visit(item, [...path, at]);
    } else {
      const layer = merged.layerOf(path);
      const origin = layer && isSaid(layer, path) ? layer.place(path) : "default";
      values.push({ key: keyOf(path), value, origin });
    }
  };
  visit(data, []);
  return values;
}
