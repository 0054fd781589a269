import * as z from "zod";
import { contactForm, isContactAddress } from "../../base/text/contact-address.ts";
import { redactText } from "../../base/log/redact.ts";
import { nearestHint } from "../../base/text/nearest.ts";
import { phraseLanguages, sourceKeyRule, type Point } from "../../sources/index.ts";
import { isFileKey, overpassSourceKey, type Campaign } from "../campaign.ts";
import { describeIssue, faulty, keyOf, plainWords } from "./config-issues.ts";
import {
  fieldsLayer,
  mergeLayers,
  readLayers,
  valueAt,
  withFields,
  type CampaignFields,
  type ConfigLayer,
  type ConfigPath,
  type ConfigText,
} from "./config-layers.ts";
import { configValues, type ConfigValue } from "./config-values.ts";
import { budgetSchema } from "../budget/budget-schema.ts";
import { filtersSchema } from "../places/filters.ts";
import { locateTown, radiusKm } from "../places/locate-town.ts";
import { phraseFault, toPhrase } from "../phrase.ts";

/** An `error` text completes the sentence "<key> must be …". */
const number = (min: number, max: number, what: string) =>
  z.number({ error: what }).min(min, { error: what }).max(max, { error: what });
/** The whole fleet reads the files of campaigns, and commands print them. */
const noSecret = "an address without a password or key";
const hasNoSecret = (address: string) => redactText(address) === address;
const words = (what: string) =>
  z.array(z.string({ error: "text" }).trim().min(1, { error: "text that is not empty" }), {
    error: `a list of ${what}, such as ["…", "…"]`,
  });

const proximityKm = number(0, 1_000, "kilometres from 0 to 1000, such as proximityKm = 20");
const radius = z
  .string({ error: 'a distance such as "20 mi" or "30 km"' })
  .refine((text) => (radiusKm(text) ?? Infinity) <= 1_000, {
    error: 'a distance of at most 1000 km, such as "20 mi" or "30 km"',
  })
  .optional();
const phrase = z.string({ error: 'text, such as "plumber"' }).superRefine((text, context) => {
  const fault = phraseFault(text);
  if (fault) context.addIssue({ code: "custom", message: `a phrase, which must ${fault}` });
});

const schema = z.strictObject({
  phrases: z
    .array(phrase, {
      error: 'a list of phrases to search for, such as ["plumber", "heating engineer"]',
    })
    .min(1, { error: "a list with at least one phrase" })
    .max(1_000, { error: "a list of at most 1000 phrases" }),
  proximityKm: proximityKm.optional(),
  radius,
  locations: z
    .array(
      z.strictObject({
        name: z.string({ error: 'text, such as "Austin, TX"' }).trim().min(1, { error: "a name" }),
        lat: number(-90, 90, "degrees north from -90 to 90, such as lat = 30.2672").optional(),
        lon: number(-180, 180, "degrees east from -180 to 180, such as lon = -97.7431").optional(),
        proximityKm: proximityKm.optional(),
        radius,
      }),
      { error: "tables: write [[locations]] with name, lat and lon below it" },
    )
    .min(1, { error: "at least one location: write [[locations]] with name, lat and lon below it" })
    .max(10_000, { error: "at most 10000 locations" }),
  politeness: z
    .strictObject({
      delayMs: number(100, 3_600_000, "milliseconds from 100 to 3600000").optional(),
      concurrency: z
        .int({ error: "a whole number from 1 to 16" })
        .min(1, { error: "a whole number from 1 to 16" })
        .max(16, { error: "a whole number from 1 to 16" })
        .default(1),
      contact: z
        .string({ error: contactForm })
        .refine(isContactAddress, { error: contactForm })
        .optional(),
    })
    .prefault({}),
  exclusions: z
    .strictObject({
      domains: words("domains").default([]),
      names: words("names of companies").default([]),
      places: words("ids of places").default([]),
    })
    .prefault({}),
  filters: filtersSchema.optional(),
  budget: budgetSchema.optional(),
  languages: z
    .array(
      z.string().refine((code) => phraseLanguages().includes(code), {
        error: () => `one of ${phraseLanguages().join(", ")}`,
      }),
      { error: 'a list of codes of languages, such as ["de"]' },
    )
    .default([]),
  tags: z
    .record(
      z.string(),
      z.strictObject({
        osm: words("tags").optional(),
        overture: words("categories").optional(),
      }),
      { error: 'tables such as [tags."web design agency"] with osm = ["office=it"] below it' },
    )
    .default({}),
  sources: z
    .strictObject({
      file: z
        .string({ error: 'the path of a file, such as "places.jsonl"' })
        .min(1)
        .refine(hasNoSecret, { error: `${noSecret}: import it with forager places import` })
        .optional(),
      columns: z
        .record(z.string(), z.string(), {
          error: 'a table of field = "column", such as { name = "Firma" }',
        })
        .default({}),
      delimiter: z.string().length(1, { error: 'one character, such as ";"' }).optional(),
      encoding: z.string({ error: 'a name such as "windows-1252"' }).min(1).optional(),
      imported: z
        .array(
          z.string().refine((name) => sourceKeyRule.test(name) && !isOwnKey(name), {
            error: "a name that was given to forager places import --name",
          }),
          { error: 'a list of names, such as ["berlin"]' },
        )
        .default([]),
      overpass: z
        .strictObject(
          {
            url: z
              .url({
                protocol: /^https?$/,
                error:
                  'the address of an Overpass interpreter, such as "https://HOST/api/interpreter"',
              })
              .refine(hasNoSecret, { error: noSecret }),
            delayMs: number(1_000, 3_600_000, "milliseconds from 1000 to 3600000").default(5_000),
            snapshotDays: number(0.01, 3_650, "days from 0.01 to 3650").default(30),
            maxDataAgeDays: number(0.01, 3_650, "days from 0.01 to 3650").default(14),
            dailyRequests: number(1, 1_000_000, "a number from 1 to 1000000").default(10_000),
            dailyBytes: number(1, 1e12, "a number from 1 to 1000000000000").default(1_000_000_000),
          },
          { error: 'a table: write [sources.overpass] with url = "https://…" below it' },
        )
        .optional(),
    })
    .prefault({}),
  freshness: z
    .strictObject({
      foundDays: number(0.01, 3_650, "days from 0.01 to 3650").default(90),
      emptyDays: number(0.01, 3_650, "days from 0.01 to 3650").default(14),
    })
    .prefault({}),
});

const isOwnKey = (name: string) => isFileKey(name) || name === overpassSourceKey;

const keys = [
  "phrases", "proximityKm", "radius", "locations", "locations.name", "locations.lat",
  "locations.lon", "locations.proximityKm", "locations.radius", "politeness", "politeness.delayMs", "politeness.concurrency",
  "politeness.contact", "exclusions", "exclusions.domains", "exclusions.names",
  "exclusions.places", "filters", "filters.website", "filters.phone", "filters.open", "filters.chains", "filters.categories",
  "filters.categories.only", "filters.categories.not", "filters.ratingMin", "filters.reviewsMin", "filters.polygon",
  "budget", "budget.requests", "budget.hours", "budget.dollars", "budget.companies", "languages", "tags", "sources", "sources.file", "sources.columns",
  "sources.delimiter", "sources.encoding", "sources.imported", "sources.overpass",
  "sources.overpass.url", "sources.overpass.delayMs", "sources.overpass.snapshotDays",
  "sources.overpass.maxDataAgeDays", "sources.overpass.dailyRequests", "sources.overpass.dailyBytes", "freshness", "freshness.foundDays",
  "freshness.emptyDays",
]; // prettier-ignore

export interface CampaignLayers {
  /**
   * From the weakest to the strongest: `_defaults.toml`, then `config.toml`. The last one belongs
   * to the campaign itself.
   */
  readonly texts: readonly ConfigText[];
  /** Its tables `[env.NAME]` are applied too. */
  readonly environment?: string | undefined;
  /** Values set by commands for the fleet; they override all files. */
  readonly fields?: CampaignFields;
}

export interface ResolvedCampaign {
  readonly campaign: Campaign;
  /** All effective values, with their origins. */
  readonly values: readonly ConfigValue[];
}

/** Parses one file alone. */
export const parseCampaign = (name: string, file: string, text: string): Campaign =>
  resolveCampaign(name, { texts: [{ file, text }] }).campaign;

/**
 * Merges the layers of a campaign. Throws one `campaign_config` error with all errors in all
 * layers, also in values that a stronger layer replaces: file, line, key, what to write.
 */
export function resolveCampaign(name: string, options: CampaignLayers): ResolvedCampaign {
  const { texts, environment, fields = new Map() } = options;
  const read = readLayers(texts, environment);
  if (read.syntax.length > 0) throw faulty([...read.syntax, ...read.problems]);
  const layers = fields.size > 0 ? [...read.layers, fieldsLayer(name, fields)] : read.layers;
  const merged = mergeLayers(layers);
  const own = layers[texts.length - 1]!;
  const placeOf = (path: ConfigPath) => (merged.layerOf(path) ?? own).place(path);
  const parsed = schema.safeParse(merged.root, { error: plainWords });
  const problems = [
    ...read.problems,
    ...(parsed.error?.issues ?? []).flatMap((one) =>
      describeIssue(one, { root: merged.root, placeOf, keys }),
    ),
    ...[...layers, ...read.unused].flatMap(checkLayer),
  ];
  if (!parsed.success || problems.length > 0) throw faulty([...new Set(problems)]);
  const { data } = parsed;
  const places = data.locations.map((one) => placed(one));
  const faults = places.flatMap((one, at) =>
    typeof one === "string"
      ? [`${placeOf(["locations", at, "name"])}: ${keyOf(["locations", at])} ${one}`]
      : [],
  );
  if (faults.length > 0) throw faulty(faults);
  return {
    campaign: campaignOf(name, data, places as readonly Point[]),
    values: configValues(data, merged),
  };
}

/**
 * Throws `campaign_config` if `_defaults.toml` is wrong, whether or not a campaign uses the values.
 */
export function checkDefaults(file: string, text: string): void {
  const { layers, unused, syntax, problems } = readLayers([{ file, text }], undefined);
  const all = [...syntax, ...problems, ...[...layers, ...unused].flatMap(checkLayer)];
  if (all.length > 0) throw faulty(all);
}

/**
 * Errors in the values of one layer. Missing values are not errors, because another layer may have
 * them.
 */
function checkLayer({ root, place }: ConfigLayer): readonly string[] {
  const { error } = schema.safeParse(root, { error: plainWords });
  const said = (error?.issues ?? []).filter(
    ({ code, path }) => code === "unrecognized_keys" || valueAt(root, path) !== undefined,
  );
  return said.flatMap((issue) => describeIssue(issue, { root, placeOf: place, keys }));
}

type Config = z.output<typeof schema>;

function campaignOf(name: string, data: Config, places: readonly Point[]): Campaign {
  const nearKm = distanceOf(data) ?? proximityKmDefault;
  return {
    name,
    phrases: [...new Set(data.phrases.map(toPhrase))],
    locations: data.locations.map((location, at) => ({
      name: location.name,
      ...places[at]!,
      proximityKm: distanceOf(location) ?? nearKm,
    })),
    politeness: {
      delayMs: data.politeness.delayMs,
      concurrency: data.politeness.concurrency,
      contact: data.politeness.contact,
    },
    exclusions: data.exclusions,
    ...(data.filters && { filters: data.filters }),
    ...(data.budget && { budget: data.budget }),
    languages: [...new Set(data.languages)],
    tags: new Map(
      Object.entries(data.tags).map(([phrase, { osm, overture }]) => [
        toPhrase(phrase),
        { ...(osm && { osm }), ...(overture && { overture }) },
      ]),
    ),
    sourceFile: data.sources.file,
    fileOptions: {
      columns: data.sources.columns,
      delimiter: data.sources.delimiter,
      encoding: data.sources.encoding,
    },
    imported: [...new Set(data.sources.imported)],
    overpass: data.sources.overpass,
    freshness: data.freshness,
  };
}

const proximityKmDefault = 10;

const distanceOf = (at: {
  readonly proximityKm?: number | undefined;
  readonly radius?: string | undefined;
}): number | undefined => (at.radius === undefined ? at.proximityKm : radiusKm(at.radius));

/**
 * The coordinates of a location: those in the file, else those of the one town with that name. A
 * text says what is wrong.
 */
function placed({
  name,
  lat,
  lon,
}: {
  readonly name: string;
  readonly lat?: number | undefined;
  readonly lon?: number | undefined;
}): Point | string {
  if (lat !== undefined && lon !== undefined) return { latitude: lat, longitude: lon };
  if (lat !== undefined || lon !== undefined) return "has one of lat and lon: give both";
  const found = locateTown(name);
  if (found.kind === "fault") return `has no lat and lon, and "${name}" ${found.words}`;
  const { latitude, longitude } = found.town;
  return { latitude, longitude };
}

/** What is wrong with a value for a field of any campaign; undefined if it is valid. */
export function checkCampaignField(field: string, value: unknown): string | undefined {
  const settable = keys.filter((key) => !key.startsWith("locations."));
  if (!settable.includes(field)) {
    const hint = nearestHint(field, settable, (meant) => `; did you mean ${meant}?`);
    return `there is no ${field} in a campaign${hint}`;
  }
  const least = { phrases: ["x"], locations: [{ name: "x", lat: 0, lon: 0 }] };
  const parsed = schema.safeParse(withFields(least, new Map([[field, value]])), {
    error: plainWords,
  });
  if (parsed.success) return undefined;
  const [issue] = parsed.error.issues;
  const what = issue?.code === "unrecognized_keys" ? `without ${issue.keys[0]}` : issue?.message;
  return `${field} must be ${what}`;
}
