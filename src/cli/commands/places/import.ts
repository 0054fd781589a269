import { basename, resolve } from "node:path";
import { importPlaces, openPlaces } from "../../../app/index.ts";
import { isFileKey, openCampaignFolder, planTiles } from "../../../campaign/index.ts";
import {
  isRemoteFile,
  readArea,
  sourceKeyRule,
  type SnapshotRelease,
} from "../../../sources/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { showCut } from "../campaign/parts/open-sources.ts";
import { countOf } from "../../../base/text/count-words.ts";

export const placesImport: Command = {
  needs: "settings",
  arguments: [
    {
      name: "file",
      summary:
        "CSV, JSON, GeoJSON, .osm.pbf, or Parquet: also https://…, s3://BUCKET/KEY, bucket:KEY",
    },
  ],
  options: [
    { flag: "--name", value: "name", summary: "its name in campaigns (default: the file's name)" },
    {
      flag: "--area",
      value: "box|campaign",
      summary: "only places in this area: SOUTH,WEST,NORTH,EAST, or the tiles of a campaign",
    },
    {
      flag: "--column",
      value: "field=header",
      summary: "the header of a field that is not recognised",
      isRepeated: true,
    },
    {
      flag: "--min-confidence",
      value: "number",
      summary: "for Overture: leave out places with a lower confidence (default: 0.5)",
    },
    { flag: "--delimiter", value: "char", summary: "for CSV: the separator (default: detected)" },
    {
      flag: "--encoding",
      value: "name",
      summary: "the encoding of text (default: utf-8, or by its byte order mark)",
    },
  ],
  examples: [
    {
      line: "forager places import berlin.csv --column name=Firma",
      summary: "a spreadsheet with another column name",
    },
    {
      line: "forager places import texas.geojsonseq --area austin --name texas",
      summary: "only the tiles of the campaign austin",
    },
    {
      line: "forager places import world.jsonl --area 47.2,5.8,55.1,15.1",
      summary: "only a box",
    },
    {
      line: "forager places import bayern.osm.pbf --area munich --name osm",
      summary: "an extract of OpenStreetMap",
    },
    {
      line: "forager places import https://HOST/part-0.parquet --area munich --name overture",
      summary: "of a remote file, only the part for the area",
    },
  ],
  details: [
    'A campaign uses it by imported = ["NAME"] under [sources]. The same file is imported once; after\n' +
      "an interruption the same command continues. The import is used only when it is complete.",
    "Exits 3 if some records could not be read; it lists their lines.",
  ],

  async run(context) {
    const { args, flags, paths, settings, out, signal, cwd, clock } = context;
    const given = args[0] ?? "";
    const file = isRemoteFile(given) ? given : resolve(cwd, given);
    const source = textFlag(flags, "name") ?? nameOf(file);
    if (!sourceKeyRule.test(source) || isFileKey(source)) {
      throw usageError(
        `--name takes 1 to 63 of a-z, 0-9, . and -, and neither 'file' nor 'file.…': '${source}'`,
      );
    }
    const area = await areaOf(context);
    await using places = await openPlaces({
      paths,
      bucket: settings.bucket,
      keepReleases: settings.places.keepReleases,
    });
    const release = await asUsage(() =>
      importPlaces({
        file,
        source,
        places,
        remote: { paths, bucket: settings.bucket },
        clock,
        minConfidence: confidenceOf(textFlag(flags, "minConfidence")),
        columns: columnsOf(flags["column"]),
        delimiter: textFlag(flags, "delimiter"),
        encoding: textFlag(flags, "encoding"),
        area,
        signal,
        onProgress: showCut(context),
      }),
    );
    const { tiles, ...rest } = release;
    out.result({ ...rest, tiles: Object.keys(tiles).length }, wordsOf(release));
    for (const { reason, count, lines } of release.reasons) {
      out.note(
        `${basename(file)}:${lines.join(",")}: ${reason}; ${countOf(count, "record")} skipped`,
      );
    }
    return release.bad > 0 ? "partial" : undefined;
  },
};

function wordsOf({ source, places, tiles, outside, duplicates, closed }: SnapshotRelease): string {
  const left = [
    ...(outside > 0 ? [`${outside} outside of the area`] : []),
    ...(duplicates > 0 ? [`${duplicates} repeated`] : []),
    ...(closed > 0 ? [`${closed} closed`] : []),
  ];
  const words = `${source}: ${countOf(places, "place")} in ${countOf(Object.keys(tiles).length, "tile")}`;
  return left.length > 0 ? `${words}; left out: ${left.join(", ")}` : words;
}

const nameOf = (file: string): string =>
  basename(file)
    .toLowerCase()
    .replace(/\.[a-z0-9]+$/, "")
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replaceAll(/^[.-]+|[.-]+$/g, "");

function confidenceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw usageError(`--min-confidence takes a number from 0 to 1, not '${text}'`);
}

async function areaOf({ flags, paths }: SettingsContext) {
  const text = textFlag(flags, "area");
  if (text === undefined) return undefined;
  if (/^[-+\d.,\s]+$/.test(text)) return await asUsage(() => Promise.resolve(readArea(text)));
  const campaign = await asUsage(() => openCampaignFolder(paths).load(text));
  return readArea(planTiles(campaign).map(({ tile }) => tile));
}

function columnsOf(given: unknown): Readonly<Record<string, string>> {
  const list = Array.isArray(given) ? (given as readonly string[]) : [];
  return Object.fromEntries(
    list.map((one) => {
      const [, field, header] = /^([A-Za-z]+)=(.+)$/s.exec(one) ?? [];
      if (field === undefined || header === undefined) {
        throw usageError(`--column takes FIELD=HEADER such as name=Firma, not '${one}'`);
      }
      return [field, header] as const;
    }),
  );
}
