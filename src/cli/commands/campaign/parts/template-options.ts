import { usageError } from "../../../../base/usage-error.ts";
import { locateTown, radiusKm, type TemplateOptions } from "../../../../campaign/index.ts";
import type { Flags, OptionSpec } from "../../../frame/command.ts";
import { listFlag, textFlag } from "../../../options/flags.ts";

/** Options for the configuration of a new campaign. */
export const campaignOptions: readonly OptionSpec[] = [
  { flag: "--phrase", value: "words", summary: "what to search for", isRepeated: true },
  {
    flag: "--location",
    value: "town|name@lat,lon",
    summary: "where: a town, or a name with degrees north and east",
    isRepeated: true,
  },
  { flag: "--radius", value: "distance", summary: "radius around the location: '20 mi', '30 km'" },
  { flag: "--proximity-km", value: "number", summary: "the same in kilometres (default: 10)" },
  {
    flag: "--source",
    value: "file",
    summary:
      "file of places, relative to the campaign's folder: CSV, JSON, GeoJSON, Parquet, .osm.pbf; or https://…",
    complete: "file",
  },
];

export function templateOf(flags: Flags): TemplateOptions {
  const phrases = listFlag(flags, "phrase");
  // Not `listFlag`, because a location can contain a comma.
  const locations = flags["location"];
  const proximity = textFlag(flags, "proximityKm");
  const radius = textFlag(flags, "radius");
  if (proximity !== undefined && radius !== undefined) {
    throw usageError("--radius and --proximity-km mean the same: give one of them");
  }
  if (radius !== undefined && radiusKm(radius) === undefined) {
    throw usageError(`--radius takes a distance such as '20 mi' or '30 km', not '${radius}'`);
  }
  const sourceFile = textFlag(flags, "source");
  return {
    ...(phrases ? { phrases } : {}),
    ...(Array.isArray(locations) ? { locations: locations.map(locationOf) } : {}),
    ...(proximity === undefined ? {} : { proximityKm: numberOf("--proximity-km", proximity) }),
    ...(radius === undefined ? {} : { radius }),
    ...(sourceFile === undefined ? {} : { sourceFile }),
  };
}

function locationOf(text: string) {
  const [, name, latitude, longitude] = /^(.+)@([^,@]+),([^,@]+)$/u.exec(text) ?? [];
  if (name === undefined || latitude === undefined || longitude === undefined) {
    const found = locateTown(text);
    if (found.kind === "town") {
      const { latitude: lat, longitude: lon } = found.town;
      return { name: text.trim(), latitude: lat, longitude: lon };
    }
    throw usageError(`'${text}' ${found.words}, as in NAME@LAT,LON`);
  }
  return {
    name: name.trim(),
    latitude: numberOf("the latitude of --location", latitude),
    longitude: numberOf("the longitude of --location", longitude),
  };
}

function numberOf(what: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw usageError(`${what} is a number such as 30.25, not '${text}'`);
}
