import { folded } from "../base/text/fold-text.ts";
import { loadPackage } from "../base/process/load-package.ts";
import type { Point } from "./grid.ts";

type CountryCoder = typeof import("@rapideditor/country-coder");
let loaded: CountryCoder | undefined;
/** The borders of all countries: 700 KB, and 60 ms to index. */
const borders = (): CountryCoder =>
  (loaded ??= loadPackage("@rapideditor/country-coder") as CountryCoder);

/** ISO 3166-1 alpha-2 of the country at a point, offline; undefined: no country. */
export const countryAt = ({ latitude, longitude }: Point): string | undefined =>
  borders().iso1A2Code([longitude, latitude]) ?? undefined;

/**
 * The code of a country given as a code or a name in one of many languages, with or without
 * accents: `de`, `DEU`, `Deutschland`, `Allemagne`, `ドイツ`. Undefined: not a country.
 */
export function countryCodeOf(text: string): string | undefined {
  const plain = text.trim();
  if (/^[a-z]{2}$/i.test(plain)) {
    const code = plain.toUpperCase();
    return code === "UK" ? "GB" : isCountry(code) ? code : undefined;
  }
  return byName().get(
    folded(plain)
      .replaceAll(/[.\s]+/g, " ")
      .trim(),
  );
}

const languages =
  "en de es fr it pt nl pl ja sv da nb fi cs sk hu ro tr el ru uk bg hr sl zh ko ar he th hi vi id".split(
    " ",
  );
const more: Readonly<Record<string, string>> = {
  usa: "US",
  "u s a": "US",
  "united states of america": "US",
  us: "US",
  england: "GB",
  scotland: "GB",
  wales: "GB",
  "great britain": "GB",
  "northern ireland": "GB",
  holland: "NL",
  czechia: "CZ",
  turkey: "TR",
  brd: "DE",
};

let known: ReadonlyMap<string, string> | undefined;

function byName(): ReadonlyMap<string, string> {
  if (known) return known;
  const found = new Map(Object.entries(more));
  for (const language of languages) {
    const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of codes()) {
      const name = names.of(code);
      if (name !== undefined)
        found.set(
          folded(name)
            .replaceAll(/[.\s]+/g, " ")
            .trim(),
          code,
        );
    }
  }
  for (const code of codes()) {
    const three = iso3Of(code);
    if (three !== undefined) found.set(three.toLowerCase(), code);
  }
  return (known = found);
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
const english = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
const notCountries = new Set(["EU", "EZ", "UN", "ZZ", "XA", "XB", "QO", "AC", "CP", "DG", "EA", "IC", "TA"]); // prettier-ignore
/** Withdrawn codes, such as DD, have the name of the country that followed. */
const isCountry = (code: string): boolean =>
  !notCountries.has(code) &&
  english.of(code) !== undefined &&
  new Intl.Locale(`und-${code}`).region === code;

function codes(): readonly string[] {
  return letters.flatMap((first) => letters.map((second) => first + second).filter(isCountry));
}

const iso3Of = (code: string): string | undefined => borders().iso1A3Code(code) ?? undefined;
