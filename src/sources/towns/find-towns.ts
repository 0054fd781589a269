import { readFileSync } from "node:fs";
import { folded } from "../../base/fold-text.ts";
import { gunzipBounded } from "../../base/gunzip-bounded.ts";
import { countryCodeOf } from "../country-at.ts";
import type { Point } from "../grid.ts";
import { stateCodeOf } from "./us-states.ts";
import { programFile } from "../../base/package-files.ts";

/** A town of 5,000 inhabitants or more. */
export interface Town extends Point {
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Of the United States the state, `TX`; elsewhere a number of GeoNames. */
  readonly division: string;
  readonly inhabitants: number;
}

/** To be shown beside anything that is made of it. */
export const townsCredit = "Towns: GeoNames (https://www.geonames.org), CC BY 4.0";

/**
 * Towns that a text may mean, the largest first: `Round Rock, TX`, `Paris, France`, `München`,
 * `Springfield, Illinois, USA`. Offline. A town that is listed twice is told once.
 */
export function findTowns(text: string): readonly Town[] {
  const [name = "", ...rest] = text.split(",").map((part) => part.trim());
  const own = keyOf(name);
  const key = townsByName().has(own) ? own : keyOf(otherNames[name.normalize("NFC").toLowerCase()] ?? name); // prettier-ignore
  const found = (townsByName().get(key) ?? []).filter((town) =>
    rest.filter(Boolean).every((part) => isIn(town, part)),
  );
  return found
    .sort((a, b) => b.inhabitants - a.inhabitants)
    .filter((town, at, all) => !all.slice(0, at).some((other) => isSame(town, other)));
}

/** `Round Rock, TX, US`: what finds it again. */
export const townText = ({ name, country, division }: Town): string =>
  country === "US" ? `${name}, ${division}, US` : `${name}, ${country}`;

function isIn({ country, division }: Town, part: string): boolean {
  if (country === "US" && stateCodeOf(part) === division) return true;
  if (division !== "" && division.toLowerCase() === part.toLowerCase()) return true;
  const code = countryCodeOf(part);
  // CA is California too, and a state of the same code was asked for before.
  return code !== undefined && code === country;
}

const sameDegrees = 0.15;
const isSame = (a: Town, b: Town): boolean =>
  a.country === b.country &&
  Math.abs(a.latitude - b.latitude) < sameDegrees &&
  Math.abs(a.longitude - b.longitude) < sameDegrees;

const keyOf = (name: string): string =>
  folded(name)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .replace(/^(?:saint|sankt) /, "st ")
    .trim();

let known: ReadonlyMap<string, readonly Town[]> | undefined;
const bytesMax = 16 * 2 ** 20;

/** Made by `scripts/data/towns.ts`; read once for each process, by those who ask. */
function townsByName(): ReadonlyMap<string, Town[]> {
  if (known) return known as ReadonlyMap<string, Town[]>;
  const file = programFile("sources/data/towns.tsv.gz");
  const text = gunzipBounded(readFileSync(file), { bytesMax, start: "# towns" }).toString("utf8");
  const found = new Map<string, Town[]>();
  for (const line of text.trimEnd().split("\n").slice(1)) {
    const [name = "", country = "", division = "", inhabitants, latitude, longitude] =
      line.split("\t");
    const town = {
      name,
      country,
      division,
      inhabitants: Number(inhabitants),
      latitude: Number(latitude),
      longitude: Number(longitude),
    };
    const key = keyOf(name);
    const list = found.get(key);
    if (list) list.push(town);
    else found.set(key, [town]);
  }
  known = found;
  return found;
}

/** What large towns call themselves where the data has their English name. */
const otherNames: Readonly<Record<string, string>> = {
  münchen: "Munich",
  cologne: "Köln",
  wien: "Vienna",
  nürnberg: "Nuremberg",
  hannover: "Hanover",
  zurich: "Zürich",
  genève: "Geneva",
  genf: "Geneva",
  bruxelles: "Brussels",
  brussel: "Brussels",
  antwerp: "Antwerpen",
  "den haag": "The Hague",
  roma: "Rome",
  milano: "Milan",
  napoli: "Naples",
  torino: "Turin",
  firenze: "Florence",
  venezia: "Venice",
  genova: "Genoa",
  sevilla: "Seville",
  lisboa: "Lisbon",
  københavn: "Copenhagen",
  göteborg: "Gothenburg",
  praha: "Prague",
  prag: "Prague",
  warszawa: "Warsaw",
  kraków: "Krakow",
  bucurești: "Bucharest",
  beograd: "Belgrade",
  athína: "Athens",
  αθήνα: "Athens",
  москва: "Moscow",
  київ: "Kyiv",
  東京: "Tokyo",
  大阪: "Osaka",
  京都: "Kyoto",
  横浜: "Yokohama",
  北京: "Beijing",
  上海: "Shanghai",
  서울: "Seoul",
};
