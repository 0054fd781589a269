/**
 * Makes `src/sources/data/osm-presets.json` from the package @openstreetmap/id-tagging-schema: the
 * presets that a business can have, with what each is called in some languages. Run it after an
 * update of that package: `node --import tsx scripts/data/osm-presets.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root } from "../project.ts";

const languages = ["en", "de", "es", "fr", "it", "pt", "nl", "pl", "ja"];
/** Keys whose values say what a business does, the most telling first. */
const businessKeys =
  "craft shop office healthcare amenity tourism leisure club education industrial".split(" ");
/** Furniture of the street and the landscape: nobody has a website for it. */
const notBusinesses: ReadonlySet<string> = new Set(
  (
    "amenity=bench amenity=waste_basket amenity=parking amenity=parking_space amenity=parking_entrance " +
    "amenity=toilets amenity=drinking_water amenity=vending_machine amenity=post_box amenity=telephone " +
    "amenity=fountain amenity=recycling amenity=shelter amenity=bicycle_parking amenity=motorcycle_parking " +
    "amenity=waste_disposal amenity=grit_bin amenity=hunting_stand amenity=clock amenity=bbq " +
    "amenity=water_point amenity=letter_box amenity=parcel_locker amenity=public_bookcase amenity=atm " +
    "amenity=bicycle_repair_station amenity=compressed_air amenity=smoking_area amenity=give_box " +
    "amenity=lounger amenity=dressing_room amenity=watering_place amenity=feeding_place " +
    "amenity=vacuum_cleaner amenity=device_charging_station amenity=photo_booth amenity=dog_toilet " +
    "amenity=sanitary_dump_station amenity=ferry_terminal amenity=bus_station amenity=taxi " +
    "amenity=car_sharing amenity=bicycle_rental amenity=kick-scooter_parking amenity=kneipp_water_cure " +
    "amenity=ticket_validator amenity=loading_dock amenity=trolley_bay amenity=shower " +
    "amenity=weighbridge amenity=game_feeding amenity=waste_transfer_station leisure=fitness_station " +
    "leisure=park leisure=playground leisure=pitch leisure=garden leisure=picnic_table leisure=firepit " +
    "leisure=bird_hide leisure=nature_reserve leisure=common leisure=slipway leisure=track " +
    "leisure=bleachers leisure=outdoor_seating leisure=dog_park leisure=bandstand leisure=swimming_area " +
    "leisure=wildlife_hide leisure=fishing leisure=schoolyard leisure=village_swing " +
    "tourism=artwork tourism=viewpoint tourism=information tourism=picnic_site tourism=camp_pitch " +
    "tourism=trail_riding_station office=yes shop=yes craft=yes club=yes shop=vacant"
  ).split(" "),
);

interface Preset {
  readonly tags: Readonly<Record<string, string>>;
  readonly addTags?: Readonly<Record<string, string>>;
  readonly searchable?: boolean;
  readonly replacement?: string;
  readonly reference?: { readonly key: string; readonly value?: string };
}
interface Names {
  readonly name?: string;
  readonly aliases?: readonly string[];
  readonly terms?: readonly string[];
}

const require = createRequire(import.meta.url);
const packageFile = require.resolve("@openstreetmap/id-tagging-schema/package.json");
const folder = dirname(packageFile);
const json = (path: string) => JSON.parse(readFileSync(join(folder, path), "utf8")) as unknown;

const presets = json("dist/presets.json") as Readonly<Record<string, Preset>>;
const chosen = Object.entries(presets)
  .filter(([, preset]) => isBusiness(preset))
  .sort(([a], [b]) => (a < b ? -1 : 1));
const names = new Map(languages.map((language) => [language, namesIn(language)]));
const rows = chosen.flatMap(([id, preset]) => {
  const texts = Object.fromEntries(
    languages.flatMap((language) => {
      const found = textsOf(names.get(language)?.[id]);
      return found === undefined ? [] : [[language, found]];
    }),
  );
  if (texts["en"] === undefined) return [];
  return [{ tags: [...tagSetsOf(preset), ...otherTagsOf(preset)], texts }];
});
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { readonly version: string };
const head = { from: `@openstreetmap/id-tagging-schema ${version}`, licence: "ISC", languages };
const lines = rows.map((row) => JSON.stringify(row)).join(",\n");
const text = `${JSON.stringify(head).slice(0, -1)},"presets":[\n${lines}\n]}\n`;
const data = join(root, "src/sources/data");
writeFileSync(join(data, "osm-presets.json"), text);
writeFileSync(
  join(data, "osm-presets.LICENCE.txt"),
  `osm-presets.json is made of the presets and translations of id-tagging-schema ${version}\n` +
    `(https://github.com/openstreetmap/id-tagging-schema), whose licence is:\n\n` +
    readFileSync(join(folder, "LICENSE.md"), "utf8"),
);
process.stdout.write(`${rows.length} presets, ${Buffer.byteLength(text)} bytes\n`);

function isBusiness({ tags, searchable = true, replacement }: Preset): boolean {
  if (!searchable || replacement !== undefined) return false;
  const pairs = Object.entries(tags);
  if (pairs.some(([, value]) => value === "*")) return false;
  return (
    pairs.some(([key]) => businessKeys.includes(key)) &&
    !pairs.some(([key, value]) => notBusinesses.has(`${key}=${value}`))
  );
}

/** What is enough to be one: its own tags, or any tag of a business that an editor adds to them. */
function tagSetsOf({ tags, addTags = {} }: Preset): readonly (readonly string[])[] {
  const own = tagsOf(tags);
  const added = Object.entries(addTags)
    .filter(([key, value]) => businessKeys.includes(key) && value !== "*")
    .map(([key, value]) => `${key}=${value}`)
    .filter((tag) => !own.includes(tag));
  // A preset of several tags is a special kind of the first: what is added is not enough for it.
  return own.length > 1 ? [own] : [own, ...added.map((tag) => [tag])];
}

/** Presets that nobody can choose: other tags for this one, which OpenStreetMap has too. */
function otherTagsOf({ tags }: Preset): readonly (readonly string[])[] {
  const own = tagsOf(tags);
  return Object.values(presets)
    .filter(({ searchable = true, reference }) => {
      return !searchable && own.length === 1 && own[0] === `${reference?.key}=${reference?.value}`;
    })
    .map((other) => tagsOf(other.tags))
    .filter((other) => other.length === 1 && other[0] !== own[0] && !other[0]!.endsWith("=*"));
}

function tagsOf(tags: Preset["tags"]): readonly string[] {
  return Object.entries(tags).map(([key, value]) => `${key}=${value}`);
}

function namesIn(language: string): Readonly<Record<string, Names>> {
  const file = json(`dist/translations/${language}.json`) as Readonly<
    Record<string, { readonly presets?: { readonly presets?: Readonly<Record<string, Names>> } }>
  >;
  return file[language]?.presets?.presets ?? {};
}

/** Name, aliases, and terms: three lists, the last ones left out where they are empty. */
function textsOf(names: Names | undefined): readonly (readonly string[])[] | undefined {
  if (names?.name === undefined || names.name.startsWith("{")) return undefined;
  const once = (texts: readonly string[] | undefined) =>
    [...new Set((texts ?? []).map((one) => one.trim()))].filter((one) => !/^$|^[<{]/.test(one));
  const [aliases, terms] = [once(names.aliases), once(names.terms)];
  const lists = [[names.name.trim()], aliases, terms];
  while (lists.at(-1)?.length === 0) lists.pop();
  return lists;
}
