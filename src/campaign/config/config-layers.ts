import { parse, TomlError } from "smol-toml";
import { environments, locateTomlKeys } from "../../config/index.ts";

/** One file of a campaign's configuration. */
export interface ConfigText {
  readonly file: string;
  readonly text: string;
}

/**
 * The values that one source sets for a campaign. A later layer overrides earlier ones, key by key.
 */
export interface ConfigLayer {
  readonly root: ConfigTable;
  /** The position of a key, or of its table: `/data/campaigns/austin/config.toml:12`. */
  readonly place: (path: ConfigPath) => string;
}

export type ConfigPath = readonly PropertyKey[];
export type ConfigTable = Readonly<Record<string, unknown>>;

export interface ReadLayers {
  /** From the weakest to the strongest. */
  readonly layers: readonly ConfigLayer[];
  /** Tables of other environments: they are checked but have no effect. */
  readonly unused: readonly ConfigLayer[];
  /** Errors in texts that are not valid TOML. Such a text has no layer. */
  readonly syntax: readonly string[];
  /** Errors in tables of environments, which then have no effect. */
  readonly problems: readonly string[];
}

/**
 * The layers of some files, from the weakest to the strongest: first the files, then their tables
 * `[env.NAME]` of the environment.
 */
export function readLayers(
  texts: readonly ConfigText[],
  environment: string | undefined,
): ReadLayers {
  const [plain, own, unused] = [[], [], []] as [ConfigLayer[], ConfigLayer[], ConfigLayer[]];
  const [syntax, problems] = [[], []] as [string[], string[]];
  for (const { file, text } of texts) {
    const place = (path: ConfigPath) => placeIn({ file, text }, path);
    let root: ConfigTable;
    try {
      root = parse(text);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [reason = ""] = error.message.replace("Invalid TOML document: ", "").split("\n", 1);
      syntax.push(`${file}:${error.line}:${error.column}: TOML syntax: ${reason}`);
      continue;
    }
    const { env = {}, ...rest } = root;
    plain.push({ root: rest, place });
    if (!isTable(env)) {
      problems.push(`${place(["env"])}: env must be a table: write [env.test]`);
      continue;
    }
    for (const [name, table] of Object.entries(env)) {
      const where = place(["env", name]);
      if (!(environments as readonly string[]).includes(name)) {
        problems.push(`${where}: env.${name} must be one of ${environments.join(", ")}`);
      } else if (!isTable(table)) {
        problems.push(`${where}: env.${name} must be a table: write [env.${name}]`);
      } else {
        const layer = { root: table, place: (path: ConfigPath) => place(["env", name, ...path]) };
        (name === environment ? own : unused).push(layer);
      }
    }
  }
  return { layers: [...plain, ...own], unused, syntax, problems };
}

/** By field name, such as `politeness.delayMs`. */
export type CampaignFields = ReadonlyMap<string, unknown>;

/** The layer of values that were set by commands for the fleet. */
export const fieldsLayer = (name: string, fields: CampaignFields): ConfigLayer => ({
  root: withFields({}, fields),
  place: (path) => `fleet set campaign.${name}.${path.filter((part) => typeof part === "string").join(".")}`, // prettier-ignore
});

export function withFields(root: ConfigTable, fields: CampaignFields): ConfigTable {
  let all: ConfigTable = root;
  for (const [field, value] of fields) all = withValueAt(all, field.split("."), value);
  return all;
}

function withValueAt(
  table: ConfigTable,
  [first = "", ...rest]: readonly string[],
  value: unknown,
): ConfigTable {
  const inner = table[first];
  if (rest.length === 0) return { ...table, [first]: value };
  return { ...table, [first]: withValueAt(isTable(inner) ? inner : {}, rest, value) };
}

export interface MergedLayers {
  readonly root: ConfigTable;
  /** The layer that sets the value or a part of it; undefined if none does. */
  layerOf(path: ConfigPath): ConfigLayer | undefined;
}

/** Tables are merged; lists and values are replaced as a whole. */
export function mergeLayers(layers: readonly ConfigLayer[]): MergedLayers {
  const saidBy = new Map<string, ConfigLayer>();
  const merge = (
    below: ConfigTable,
    layer: ConfigLayer,
    above: ConfigTable,
    path: readonly string[],
  ): ConfigTable => {
    const all: Record<string, unknown> = Object.assign(Object.create(null), below);
    // These are two forms of one setting: the form used by the later layer counts.
    if ("proximityKm" in above && !("radius" in above)) delete all["radius"];
    if ("radius" in above && !("proximityKm" in above)) delete all["proximityKm"];
    for (const [name, value] of Object.entries(above)) {
      const own = [...path, name];
      const known = all[name];
      saidBy.set(idOf(own), layer);
      all[name] = isTable(value) ? merge(isTable(known) ? known : {}, layer, value, own) : value;
    }
    return all;
  };
  let root: ConfigTable = {};
  for (const layer of layers) root = merge(root, layer, layer.root, []);
  return {
    root,
    layerOf(path) {
      const names = path.slice(0, firstIndex(path));
      for (let depth = names.length; depth > 0; depth--) {
        const found = saidBy.get(idOf(names.slice(0, depth)));
        if (found) return found;
      }
      return undefined;
    },
  };
}

/** Whether a layer sets exactly this key, and not only a table around it. */
export const isSaid = (layer: ConfigLayer | undefined, path: ConfigPath): boolean =>
  layer !== undefined && valueAt(layer.root, path) !== undefined;

const idOf = (path: ConfigPath) => JSON.stringify(path);
const firstIndex = (path: ConfigPath) => {
  const at = path.findIndex((part) => typeof part === "number");
  return at === -1 ? path.length : at;
};

export const valueAt = (root: unknown, path: ConfigPath): unknown =>
  path.reduce<unknown>(
    (value, part) => (value as Record<PropertyKey, unknown> | undefined)?.[part],
    root,
  );

/** Lists and dates are objects too, but not tables. */
export const isTable = (value: unknown): value is ConfigTable =>
  typeof value === "object" &&
  value !== null &&
  [null, Object.prototype].includes(Object.getPrototypeOf(value) as null);

/** For a key in a list of tables: the line of the key, or of its table's header. */
function placeIn({ file, text }: ConfigText, path: ConfigPath): string {
  const at = firstIndex(path);
  const table = path.slice(0, at).map(String);
  const index = path[at];
  if (typeof index === "number" && table.length > 0) {
    const lines = text.split("\n");
    const header = new RegExp(String.raw`^\s*\[\[\s*${table.join(String.raw`\s*\.\s*`)}\s*\]\]`);
    const starts = lines.flatMap((line, number) => (header.test(line) ? [number] : []));
    const start = starts[index];
    if (start !== undefined) {
      const body = lines.slice(start, starts[index + 1] ?? lines.length).join("\n");
      const names = path.slice(at + 1).filter((part) => typeof part === "string");
      const found = locateTomlKeys(body).find([...table, ...names]);
      return `${file}:${start + (found?.line ?? 1)}`;
    }
  }
  const names = path.filter((part) => typeof part === "string");
  return `${file}:${locateTomlKeys(text).find(names)?.line ?? 1}`;
}
