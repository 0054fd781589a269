import { asUsage, usageError } from "../../../base/usage-error.ts";
import { openCampaignFolder, type TemplateOptions } from "../../../campaign/index.ts";
import type { Command, Flags } from "../../command.ts";
import { listFlag, textFlag } from "../../flags.ts";

export const campaignNew: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "a-z, 0-9 and -, such as austin-plumbers" }],
  options: [
    { flag: "--phrase", value: "words", summary: "what is looked for", isRepeated: true },
    {
      flag: "--location",
      value: "name@lat,lon",
      summary: "where, in degrees north and east",
      isRepeated: true,
    },
    { flag: "--proximity-km", value: "number", summary: "how far around (default: 10)" },
    {
      flag: "--source",
      value: "file",
      summary: "places as JSON lines or GeoJSON, relative to the campaign's folder",
      complete: "file",
    },
  ],
  examples: [
    { line: "forager campaign new austin-plumbers", summary: "a config.toml to edit" },
    {
      line: 'forager campaign new austin --phrase plumber --location "Austin, TX@30.2672,-97.7431"',
      summary: "ready to be planned",
    },
  ],
  details: [
    "A campaign is the folder campaigns/NAME of the data folder. One that is there is kept.",
  ],

  async run({ args, flags, paths, out }) {
    const [name = ""] = args;
    const file = await asUsage(() => openCampaignFolder(paths).create(name, optionsOf(flags)));
    out.result(
      { campaign: name, file },
      `${file}\nedit it, then see what it means: forager campaign plan ${name}`,
    );
  },
};

function optionsOf(flags: Flags): TemplateOptions {
  const phrases = listFlag(flags, "phrase");
  // Not `listFlag`: a location has a comma of its own.
  const locations = flags["location"];
  const proximity = textFlag(flags, "proximityKm");
  const sourceFile = textFlag(flags, "source");
  return {
    ...(phrases ? { phrases } : {}),
    ...(Array.isArray(locations) ? { locations: locations.map(locationOf) } : {}),
    ...(proximity === undefined ? {} : { proximityKm: numberOf("--proximity-km", proximity) }),
    ...(sourceFile === undefined ? {} : { sourceFile }),
  };
}

function locationOf(text: string) {
  const [, name, latitude, longitude] = /^(.+)@([^,@]+),([^,@]+)$/u.exec(text) ?? [];
  if (name === undefined || latitude === undefined || longitude === undefined) {
    throw usageError(
      `--location takes NAME@LAT,LON such as Austin@30.2672,-97.7431, not '${text}'`,
    );
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
