import type { Sabotage } from "./sabotage.ts";

const grid = "src/campaign/grid.test.ts";
const config = "src/campaign/parse-campaign.test.ts";
const dispatch = "src/campaign/dispatch.test.ts";
const handlers = "src/campaign/handlers.test.ts";
const file = "src/sources/adapters/file/file-source.test.ts";
const app = "src/app/campaign.test.ts";

const inGrid: readonly Sabotage[] = [
  {
    name: "a tile is named by its nearest corner, not by the south-western one",
    file: "src/campaign/grid.ts",
    find: "const columnOf = (longitude: number) => Math.floor(longitude * 10 + slack);",
    replace: "const columnOf = (longitude: number) => Math.round(longitude * 10 + slack);",
    caughtBy: `${grid} > is named by its south-western corner`,
  },
  {
    name: "what lies on an edge but for the last bit is in the tile below",
    file: "src/campaign/grid.ts",
    find: "const rowOf = (latitude: number) => Math.min(Math.floor(latitude * 10 + slack), rowsEnd - 1);",
    replace:
      "const rowOf = (latitude: number) => Math.min(Math.floor(latitude * 10), rowsEnd - 1);",
    caughtBy: `${grid} > is named by its south-western corner`,
  },
  {
    name: "a degree of longitude is as long everywhere",
    file: "src/campaign/grid.ts",
    find: "toDegrees(Math.asin(Math.sin(angle) / Math.cos(latitude)))",
    replace: "toDegrees(angle)",
    caughtBy: `${grid} > are as many as the latitude needs`,
  },
  {
    name: "tiles east of 180° have ids of their own",
    file: "src/campaign/grid.ts",
    find: "const west = ((((column + around / 2) % around) + around) % around) - around / 2;",
    replace: "const west = column;",
    caughtBy: `${grid} > go on across the meridian of 180°`,
  },
  {
    name: "a tile is drawn half a tile off",
    file: "src/campaign/grid.ts",
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
    find: "const ttlMs = (witness.found > 0 ? foundDays : emptyDays) * dayMs;",
    replace: "const ttlMs = Math.max(foundDays, emptyDays) * dayMs;",
    caughtBy: `${dispatch} > lesson 42: an empty tile says so`,
  },
  {
    name: "a witness from a wrong clock keeps its tile for ever",
    file: "src/campaign/witness.ts",
    find: "if (ageMs >= ttlMs || ageMs < -aheadMsMax)",
    replace: "if (ageMs >= ttlMs)",
    caughtBy: `${dispatch} > lesson 46`,
  },
  {
    name: "a dispatch asks for everything, witnessed or not",
    file: "src/campaign/dispatch.ts",
    find: 'const isDue = standing === "none" || standing === "expired";',
    replace: 'const isDue = standing !== "empty";',
    caughtBy: `${dispatch} > asks for targets − fresh witnesses`,
  },
  {
    name: "a task has the same key in every round: what expired is never asked for again",
    file: "src/campaign/tasks.ts",
    find: 'const key = `${discoverKind} ${tile.id} ${phrase} ${since ?? "first"}`;',
    replace: "const key = `${discoverKind} ${tile.id} ${phrase}`;",
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
    find: "  for await (const place of finder.find({ box: boxOf(tile), phrase, signal })) {",
    replace:
      "  const calm = async function* () { try { yield* finder.find({ box: boxOf(tile!), phrase, signal }); } catch {} };\n" +
      "  for await (const place of calm()) {",
    caughtBy: `${handlers} > lesson 42: a source that fails half-way leaves no witness`,
  },
  {
    name: "the witness is written before the places are stored",
    file: "src/campaign/discover.ts",
    find: "if (waiting.length > 0) await flush();",
    replace: "if (waiting.length > 0) void flush().catch(() => {});",
    caughtBy: `${handlers} > what cannot be stored leaves no witness either`,
  },
  {
    name: "details are keyed by the moment: a second run adds them all again",
    file: "src/campaign/tasks.ts",
    find: 'const key = `${detailsKind} ${place.id} ${tile} ${phrase} ${since ?? "first"}`;',
    replace:
      "const key = `${detailsKind} ${place.id} ${tile} ${phrase} ${found.at} ${process.hrtime.bigint()}`;",
    caughtBy: `${handlers} > what dies before its witness was written`,
  },
  {
    name: "what another campaign has looked through is asked for again",
    file: "src/campaign/discover.ts",
    find: 'return "witnessed";\n',
    replace: "void standing;\n",
    caughtBy: `${handlers} > a tile that another campaign has looked through since`,
  },
  {
    name: "what was forgotten comes back with the next campaign",
    file: "src/campaign/details.ts",
    find: "return domain !== undefined && ledger.isForgotten(`domain:${domain}`);",
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
    find: "const domain = website && !network ? domainOf(website) : undefined;",
    replace: "const domain = website ? domainOf(website) : undefined;",
    caughtBy: `${handlers} > a page on a network is a profile there`,
  },
];

const inSources: readonly Sabotage[] = [
  {
    name: "a GeoJSON file that was cut short passes for one with fewer places",
    file: "src/sources/adapters/file/record-ranges.ts",
    find: "if (depth !== 0 || isString) throw",
    replace: "if (depth < 0) throw",
    caughtBy: `${file} > a file cut short`,
  },
  {
    name: "brackets inside strings count",
    file: "src/sources/adapters/file/record-ranges.ts",
    find: 'if (byte === quote) [isString, key] = [true, ""];',
    replace: 'if (byte === quote && depth < 3) [isString, key] = [true, ""];',
    caughtBy: `${file} > GeoJSON: a collection, whatever its layout`,
  },
  {
    name: "lines are counted without the empty ones",
    file: "src/sources/adapters/file/record-ranges.ts",
    find: "      line += 1;\n      [parts, size, from]",
    replace: "      line += size > 0 ? 1 : 0;\n      [parts, size, from]",
    caughtBy: `${file} > lesson 41: what cannot be read is named by its line`,
  },
  {
    name: "a file is read once and never again",
    file: "src/sources/adapters/file/file-source.ts",
    find: "if (indexed?.version !== version)",
    replace: "if (!indexed)",
    caughtBy: `${file} > a file that has changed is read again`,
  },
  {
    name: "a place on an edge is in two tiles",
    file: "src/sources/adapters/file/file-source.ts",
    find: "(!hasReached(latitude, north) || north >= 90)",
    replace: "(latitude <= north || north >= 90)",
    caughtBy: `${app} > lesson 53: every place of a file is in exactly one tile`,
  },
];

export const campaignSabotages: readonly Sabotage[] = [
  ...inGrid,
  ...inCampaign,
  ...inHandlers,
  ...inSources,
];
