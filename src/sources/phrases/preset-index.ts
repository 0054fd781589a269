import { readFileSync } from "node:fs";
import { moreNames } from "./more-names.ts";
import { ownPresets } from "./own-presets.ts";
import { programFile } from "../../base/files/package-files.ts";

/** A kind of business in OpenStreetMap, with its names. */
export interface Preset {
  /** Any one of these sets is enough; every tag of the set is needed. */
  readonly tags: readonly (readonly string[])[];
  /** By language: its name, its aliases, and search terms. */
  readonly texts: Readonly<Record<string, readonly (readonly string[])[]>>;
}

export interface PresetData {
  /** The package and version that it was made from. */
  readonly from: string;
  readonly licence: string;
  readonly languages: readonly string[];
  readonly presets: readonly Preset[];
}

let loaded: PresetData | undefined;

/**
 * The data that `scripts/data/osm-presets.ts` generates, with our own names. Loaded once for each
 * process.
 */
export function osmPresets(): PresetData {
  if (loaded) return loaded;
  const file = programFile("sources/data/osm-presets.json");
  const data = JSON.parse(readFileSync(file, "utf8")) as PresetData;
  const presets = [
    ...data.presets.map((preset) => withNames(preset, moreNames[preset.tags[0]!.join(" + ")])),
    ...ownPresets.map(({ tags, names }) =>
      withNames({ tags: tags.map((tag) => [tag]), texts: {} }, names),
    ),
  ];
  return (loaded = { ...data, presets });
}

/** Adds names as aliases; in a language without a name, the first one becomes the name. */
function withNames(preset: Preset, names: Readonly<Record<string, string>> = {}): Preset {
  const added = Object.entries(names).map(([language, text]) => {
    const list = text.split(", ");
    const [own = [], aliases = [], terms = []] = preset.texts[language] ?? [[list[0]!]];
    return [language, [own, [...aliases, ...list], terms]] as const;
  });
  return { ...preset, texts: { ...preset.texts, ...Object.fromEntries(added) } };
}
