import { openPlaceFile } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { planTargets, planTiles, tileAt, type Campaign } from "../../../campaign/index.ts";
import type { Command } from "../../command.ts";
import { campaignArgument, loadCampaign } from "./which-campaign.ts";

export const campaignPlan: Command = {
  needs: "settings",
  arguments: [campaignArgument],
  options: [{ flag: "--dry-run", summary: "only say what it would be, write no target index" }],
  examples: [
    { line: "forager campaign plan austin", summary: "tiles, targets, and what the source has" },
    {
      line: "forager campaign plan austin --dry-run --json",
      summary: "for programs, nothing written",
    },
  ],
  details: [
    "A target is a tile of 0.1° and a phrase; all of them are listed in targets.csv beside the\n" +
      "config.toml. `forager campaign dispatch` makes tasks of those that are due.",
    "Exits 3 when some places of the source file could not be read; their lines are named.",
  ],

  async run(context) {
    const { flags, out } = context;
    const { campaign, folder } = await loadCampaign(context);
    const [tiles, targets] = [planTiles(campaign), planTargets(campaign)];
    const isDryRun = flags["dryRun"] === true;
    const sourceFile = folder.sourceFile(campaign);
    const source = sourceFile === undefined ? undefined : await survey(sourceFile, campaign);
    const file = isDryRun ? undefined : await folder.writeTargets(campaign.name, targets);
    const locations = campaign.locations.map(({ name, proximityKm }) => ({
      name,
      proximityKm,
      tiles: tiles.filter(({ location }) => location === name).length,
    }));
    const value = {
      campaign: campaign.name,
      phrases: campaign.phrases,
      locations,
      tiles: tiles.length,
      targets: targets.length,
      file,
      source,
    };
    out.result(value, (layout) => {
      const table = layout.table(locations, [
        { title: "location", value: ({ name }) => name },
        { title: "km", value: ({ proximityKm }) => proximityKm },
        { title: "tiles", value: (row) => row.tiles },
      ]);
      const sum =
        `${countOf(tiles.length, "tile")} × ${countOf(campaign.phrases.length, "phrase")} = ` +
        countOf(targets.length, "target");
      const where = file === undefined ? "" : `\nthey are listed in ${file}`;
      return `${table.trimEnd()}\n${sum}${where}`;
    });
    if (!source) out.note("it names no source: write file = … under [sources]");
    else {
      out.note(
        `${source.name}: ${countOf(source.places, "place")}, ${source.outside} of them outside every tile`,
      );
      for (const { line, reason } of source.badRecords) {
        out.note(`${source.file}:${line}: ${reason}; it is passed over`);
      }
      const more = source.bad - source.badRecords.length;
      if (more > 0) out.note(`and ${countOf(more, "more record")} that cannot be read`);
    }
    return source && source.bad > 0 ? "partial" : undefined;
  },
};

async function survey(file: string, campaign: Campaign) {
  const ids = new Set(planTiles(campaign).map(({ tile }) => tile.id));
  const source = await openPlaceFile(file);
  const found = await source.survey(({ latitude = 0, longitude = 0 }) =>
    ids.has(tileAt({ latitude, longitude }).id),
  );
  return { name: source.name, file, ...found };
}
