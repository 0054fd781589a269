import type { Sabotage } from "./sabotage.ts";

const grid = "src/sources/grid.test.ts";
const config = "src/campaign/parse-campaign.test.ts";
const dispatch = "src/campaign/dispatch.test.ts";
const handlers = "src/campaign/handlers.test.ts";
const file = "src/sources/adapters/file/file-source.test.ts";
const cut = "src/sources/snapshots/cut-places.test.ts";
const read = "src/sources/read/read-place-file.test.ts";
const places = "src/sources/phrases/match-places.test.ts";

const inGrid: readonly Sabotage[] = [
  {
    name: "a tile is named by its nearest corner, not by the south-western one",
    file: "src/sources/grid.ts",
    find: "const columnOf = (longitude: number) => Math.floor(longitude * 10 + slack);",
    replace: "const columnOf = (longitude: number) => Math.round(longitude * 10 + slack);",
    caughtBy: `${grid} > is named by its south-western corner`,
  },
  {
    name: "what lies on an edge but for the last bit is in the tile below",
    file: "src/sources/grid.ts",
    find: "const rowOf = (latitude: number) => Math.min(Math.floor(latitude * 10 + slack), rowsEnd - 1);",
    replace:
      "const rowOf = (latitude: number) => Math.min(Math.floor(latitude * 10), rowsEnd - 1);",
    caughtBy: `${grid} > is named by its south-western corner`,
  },
  {
    name: "a degree of longitude is as long everywhere",
    file: "src/sources/grid.ts",
    find: "toDegrees(Math.asin(Math.sin(angle) / Math.cos(latitude)))",
    replace: "toDegrees(angle)",
    caughtBy: `${grid} > are as many as the latitude needs`,
  },
  {
    name: "tiles east of 180° have ids of their own",
    file: "src/sources/grid.ts",
    find: "const west = ((((column + around / 2) % around) + around) % around) - around / 2;",
    replace: "const west = column;",
    caughtBy: `${grid} > go on across the meridian of 180°`,
  },
  {
    name: "a tile is drawn half a tile off",
    file: "src/sources/grid.ts",
    find: "south: south / 10,",
    replace: "south: (south - 0.5) / 10,",
    caughtBy: `${grid} > lesson 53: it is drawn where it is counted`,
  },
];

const inCampaign: readonly Sabotage[] = [
  {
    name: "keys that nobody knows are passed over",
    file: "src/campaign/parse-campaign.ts",
    find: "const schema = z.strictObject({",
    replace: "const schema = z.object({",
    caughtBy: `${config} > lesson 24: nothing is read half`,
  },
  {
    name: "an empty tile stays done as long as a full one",
    file: "src/campaign/witness.ts",
    find: "(found > 0 ? foundDays : emptyDays) * dayMs",
    replace: "Math.max(foundDays, emptyDays, found) * dayMs",
    caughtBy: `${dispatch} > lesson 42: an empty tile says so`,
  },
  {
    name: "a witness from a wrong clock keeps its tile for ever",
    file: "src/campaign/witness.ts",
    find: "if (isAhead || nowMs >= expiryMsOf(witness, freshness))",
    replace: "if (nowMs >= expiryMsOf(witness, freshness))",
    caughtBy: `${dispatch} > lesson 46`,
  },
  {
    name: "a dispatch asks for everything, witnessed or not",
    file: "src/campaign/dispatch.ts",
    find: 'standing === "none" ||',
    replace: 'standing !== "empty" ||',
    caughtBy: `${dispatch} > asks for targets − fresh witnesses`,
  },
  {
    name: "a witness of one source counts for all",
    file: "src/campaign/witness.ts",
    find: "const fieldOf = ({ phrase, source }: Question): string => `${phrase}@${source}`;",
    replace: "const fieldOf = ({ phrase }: Question): string => `${phrase}@file`;",
    caughtBy: `${handlers} > a witness of one source does not silence another`,
  },
  {
    name: "tiles in which nothing is are asked for all the same",
    file: "src/campaign/dispatch.ts",
    find: "if (mayHave && !mayHave(target)) return [];",
    replace: "void mayHave;",
    caughtBy: `${dispatch} > a tile in which its source has nothing`,
  },
  {
    name: "a task has the same key in every round: what expired is never asked for again",
    file: "src/campaign/tasks.ts",
    find: "key: `${discoverKind} ${tile.id} ${source} ${round}`,",
    replace: "key: `${discoverKind} ${tile.id} ${source} ${round.length}`,",
    caughtBy: `${dispatch} > twice is the same queue`,
  },
  {
    name: "a canary batch is the first ones",
    file: "src/campaign/dispatch.ts",
    find: "if (!isCanary) return due.slice(0, limit);",
    replace: "if (!isCanary || limit > 0) return due.slice(0, limit);",
    caughtBy: `${dispatch} > a batch is the first ones, a canary batch is from all over`,
  },
];

const inHandlers: readonly Sabotage[] = [
  {
    name: "a tile whose source failed is recorded as looked through",
    file: "src/campaign/discover.ts",
    find: "const { places, release } = await source.area(tile, signal, onRequest);",
    replace:
      'const { places, release } = await source.area(tile, signal, onRequest).catch(() => ({ places: [], release: "" }));',
    caughtBy: `${handlers} > lesson 42: a source that fails leaves no witness`,
  },
  {
    name: "the witness is written before the companies are stored",
    file: "src/campaign/discover.ts",
    find: "counts.created = await writer.flush();",
    replace: "void writer.flush().catch(() => {});",
    caughtBy: `${handlers} > what cannot be stored leaves no witness either`,
  },
  {
    name: "what another campaign has looked through is asked for again",
    file: "src/campaign/discover.ts",
    find: 'if (due.size === 0) return "witnessed";\n',
    replace: "void due;\n",
    caughtBy: `${handlers} > a tile that another campaign has looked through since`,
  },
  {
    name: "what was forgotten comes back with the next campaign",
    file: "src/campaign/discover.ts",
    find: "return domain !== undefined && (await ledger.isForgotten(`domain:${domain}`));",
    replace: 'return domain === "";',
    caughtBy: `${handlers} > what was forgotten stays so`,
  },
  {
    name: "what a place does not say is written as unknown",
    file: "src/campaign/company-fields.ts",
    find: "for (const field of copied) if (place[field] !== undefined) add(field, place[field]);",
    replace: 'for (const field of copied) add(field, place[field] ?? "");',
    caughtBy: `${handlers} > lesson 42: a place that says less the next time`,
  },
  {
    name: "the domain of a network is a company's",
    file: "src/campaign/company-fields.ts",
    find: "else if (network !== undefined) profiles.push({ network, url });",
    replace: 'else if (network === "") profiles.push({ network, url });',
    caughtBy: `${handlers} > a page on a network is a profile there`,
  },
];

const inSources: readonly Sabotage[] = [
  {
    name: "a GeoJSON file that was cut short passes for one with fewer places",
    file: "src/sources/read/json-records.ts",
    find: "if (depth !== 0 || isString) throw cutShort(line);",
    replace: "if (depth < 0) throw cutShort(line);",
    caughtBy: `${cut} > a file that is cut short`,
  },
  {
    name: "brackets inside strings count",
    file: "src/sources/read/json-records.ts",
    find: 'if (code === quote) [isString, key] = [true, ""];',
    replace: 'if (code === quote && depth < 3) [isString, key] = [true, ""];',
    caughtBy: `${read} > lines, a collection in any layout`,
  },
  {
    name: "lines are counted without the empty ones",
    file: "src/sources/read/json-records.ts",
    find: '      [rest, isTooLong] = ["", false];\n      line += 1;',
    replace: '      line += rest === "" ? 0 : 1;\n      [rest, isTooLong] = ["", false];',
    caughtBy: `${read} > lesson 41: what cannot be read is named by its line`,
  },
  {
    name: "a file is cut once and never again",
    file: "src/sources/adapters/file/file-source.ts",
    find: "if (cut?.version !== version)",
    replace: "if (!cut)",
    caughtBy: `${file} > that has changed is cut again`,
  },
  {
    name: "a release counts before all of its tiles are written",
    file: "src/sources/snapshots/cut-places.ts",
    find: "  await using spill = createSpill(options.tempFolder);",
    replace:
      '  await store.finish({ format: "forager-places-release/1", source, name, release, places: 0, tiles: {}, outside: 0, duplicates: 0, closed: 0, bad: 0, reasons: [] });\n' +
      "  await using spill = createSpill(options.tempFolder);",
    caughtBy: `${cut} > a file that is cut short leaves no release`,
  },
  {
    name: "a snapshot that was lost is an empty tile",
    file: "src/sources/adapters/file/file-source.ts",
    find: "    if (found) return found;\n    const words = `the bucket",
    replace:
      "    if (found) return found;\n    if (told) return nothing;\n    const words = `the bucket",
    caughtBy: `${file} > a snapshot that was lost or damaged`,
  },
  {
    name: "one of several tags is enough",
    file: "src/sources/phrases/match-places.ts",
    find: "if (others.every((other) => place.tags!.includes(other))) found.add(phrase);",
    replace: "if (others.length >= 0) found.add(phrase);",
    caughtBy: `${places} > only with all tags that are needed`,
  },
];

export const campaignSabotages: readonly Sabotage[] = [
  ...inGrid,
  ...inCampaign,
  ...inHandlers,
  ...inSources,
];
