import { resolve } from "node:path";
import { openWholeFile, readCampaignCoverage, type CampaignCoverage } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { usageError } from "../../../base/usage-error.ts";
import {
  countCells,
  coverageGeoJson,
  coverageKml,
  coverageStates,
  type CoverageCell,
} from "../../../campaign/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { queueOrNone } from "../queue/parts/queue-or-none.ts";
import { campaignArgument, campaignOption, loadCampaign } from "./parts/which-campaign.ts";

export const campaignCoverageCommand: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [
    { flag: "--format", value: "format", summary: "a table of counts, or a map format", choices: ["table", "kml", "geojson"], default: "table" }, // prettier-ignore
    { flag: "--by", value: "what", summary: "one map cell per tile, or per tile and phrase", choices: ["tile", "phrase"], default: "phrase" }, // prettier-ignore
    { flag: "--phrase", value: "words", summary: "only this phrase" },
    { flag: "--to", value: "file", summary: "write the map to this file", complete: "file" },
    campaignOption,
  ],
  examples: [
    { line: "forager campaign coverage austin", summary: "tiles by state, for each phrase" },
    {
      line: "forager campaign coverage austin --format kml --to austin.kml",
      summary: "for Google Earth: its time slider shows what is fresh",
    },
    {
      line: "forager campaign coverage austin --format geojson --by tile --to austin.geojson",
      summary: "for other maps",
    },
  ],
  details: [
    "A tile is fresh, empty (searched in time and nothing there, or its source has no place\n" +
      "there), expired, failed or never searched. With --by tile it is as good as the worst of\n" +
      "its phrases.",
  ],

  async run(context) {
    const { flags, out } = context;
    const by = textFlag(flags, "by") === "tile" ? "tile" : "phrase";
    const phrase = textFlag(flags, "phrase")?.toLowerCase();
    const format = textFlag(flags, "format") ?? "table";
    if (format === "table" && textFlag(flags, "to") !== undefined) {
      throw usageError("--to takes a map: give --format kml or --format geojson");
    }
    if (phrase !== undefined && by === "tile") {
      throw usageError("--by tile is for all phrases together: leave out --phrase");
    }
    const { campaign } = await loadCampaign(context);
    if (phrase !== undefined && !campaign.phrases.includes(phrase)) {
      throw usageError(`campaign ${campaign.name} has no phrase '${phrase}'`);
    }
    const { cells: all, licences } = await readCells(context, campaign.name, by);
    const cells = phrase === undefined ? all : all.filter((cell) => cell.phrase === phrase);
    if (format === "table") return printCounts(context, cells);
    const pieces =
      format === "kml"
        ? coverageKml(campaign.name, cells, licences)
        : coverageGeoJson(cells, licences);
    const to = textFlag(flags, "to");
    if (to === undefined) {
      for (const piece of batches(pieces)) await out.piece(piece);
      return;
    }
    const file = openWholeFile(resolve(context.cwd, to));
    try {
      for (const piece of batches(pieces)) await file.write(piece);
      await file.commit();
    } catch (error) {
      await file.discard();
      throw error;
    }
    out.result(
      { file: to, cells: cells.length },
      `${countOf(cells.length, "cell")} written to ${to}`,
    );
  },
};

async function readCells(
  context: SettingsContext,
  name: string,
  by: "tile" | "phrase",
): Promise<CampaignCoverage> {
  const { paths, settings, clock } = context;
  await using reader = await openReaderOf(context);
  await using queue = await queueOrNone(context);
  return await readCampaignCoverage({ name, paths, settings, clock, reader, queue, by });
}

function printCounts({ out }: SettingsContext, cells: readonly CoverageCell[]): void {
  const groups = new Map<string | undefined, CoverageCell[]>();
  for (const cell of cells) {
    const known = groups.get(cell.phrase);
    if (known) known.push(cell);
    else groups.set(cell.phrase, [cell]);
  }
  const rows = [...groups].map(([phrase = "all phrases", some]) => ({
    phrase,
    tiles: some.length,
    ...countCells(some),
    found: some.reduce((sum, { found }) => sum + found, 0),
  }));
  type Counts = (typeof rows)[number];
  out.table(rows, [
    { title: "phrase", value: (row: Counts) => row.phrase },
    { title: "tiles", value: (row: Counts) => row.tiles },
    ...coverageStates.map((state) => ({ title: state, value: (row: Counts) => row[state] })),
    { title: "found", value: (row: Counts) => row.found },
  ]);
}

const batchLength = 64 * 1024;

/** Joins small writes into a few large ones. */
function* batches(pieces: Iterable<string>): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < batchLength) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
