import { isSupportedCountry, type CountryCode } from "libphonenumber-js/max";
import { folded } from "../text/clean-text.ts";

/** Country domains that are used all over the world. */
const soldToAll = new Set(
  "io co ai tv me cc ly to fm gg ws la is it am im sh ac vc"
    .split(" ")
    .filter((name) => name !== "it"),
);
const byDomain: Readonly<Record<string, CountryCode>> = { uk: "GB", ac: "AC" };
/** The country in which most pages of a language are made; the last resort. */
const byLanguage: Readonly<Record<string, CountryCode>> = {
  de: "DE",
  fr: "FR",
  it: "IT",
  es: "ES",
  nl: "NL",
  pl: "PL",
  pt: "PT",
  ja: "JP",
  ko: "KR",
  cs: "CZ",
  sv: "SE",
  da: "DK",
  nb: "NO",
  no: "NO",
  fi: "FI",
  hu: "HU",
  tr: "TR",
  el: "GR",
  ru: "RU",
  zh: "CN",
  ro: "RO",
  he: "IL",
};
const byName: Readonly<Record<string, CountryCode>> = {
  deutschland: "DE",
  germany: "DE",
  allemagne: "DE",
  osterreich: "AT",
  austria: "AT",
  autriche: "AT",
  schweiz: "CH",
  suisse: "CH",
  svizzera: "CH",
  switzerland: "CH",
  france: "FR",
  frankreich: "FR",
  francia: "FR",
  italia: "IT",
  italy: "IT",
  italien: "IT",
  espana: "ES",
  spain: "ES",
  spanien: "ES",
  portugal: "PT",
  nederland: "NL",
  netherlands: "NL",
  "the netherlands": "NL",
  holland: "NL",
  belgique: "BE",
  belgie: "BE",
  belgium: "BE",
  polska: "PL",
  poland: "PL",
  "united kingdom": "GB",
  uk: "GB",
  england: "GB",
  scotland: "GB",
  wales: "GB",
  ireland: "IE",
  "united states": "US",
  "united states of america": "US",
  usa: "US",
  "u.s.a.": "US",
  canada: "CA",
  japan: "JP",
  日本: "JP",
  中国: "CN",
  china: "CN",
  brasil: "BR",
  brazil: "BR",
  mexico: "MX",
  australia: "AU",
  "new zealand": "NZ",
  sverige: "SE",
  sweden: "SE",
  norge: "NO",
  norway: "NO",
  danmark: "DK",
  denmark: "DK",
  suomi: "FI",
  finland: "FI",
  luxembourg: "LU",
  luxemburg: "LU",
  "ceska republika": "CZ",
  "czech republic": "CZ",
  magyarorszag: "HU",
  hungary: "HU",
  turkiye: "TR",
  turkey: "TR",
  greece: "GR",
  ελλαδα: "GR",
};

export interface CountryHints {
  /** The country that the caller knows, for example from the tile of the place. */
  readonly given?: string | undefined;
  /** addressCountry of structured data. */
  readonly stated?: string | undefined;
  /** "de" of "company.de". */
  readonly suffix?: string | undefined;
  /** "de", "de-AT". */
  readonly language?: string | undefined;
  /** Countries of the numbers on the page that have a country code. */
  readonly ofNumbers?: readonly string[];
}

/** The country to assume for numbers without a country code. */
export function defaultCountry(hints: CountryHints): CountryCode | undefined {
  const { given, stated, suffix, language, ofNumbers = [] } = hints;
  return (
    countryOf(given) ??
    countryOf(stated) ??
    ofSuffix(suffix) ??
    countryOf(/^[a-z]{2,3}[-_]([a-z]{2})\b/i.exec(language ?? "")?.[1]) ??
    countryOf(mostFrequent(ofNumbers)) ??
    byLanguage[(language ?? "").slice(0, 2).toLowerCase()]
  );
}

export function countryOf(name: string | undefined): CountryCode | undefined {
  if (name === undefined) return undefined;
  const code = name.trim().toUpperCase();
  if (/^[A-Z]{2}$/.test(code)) {
    if (code === "UK") return "GB";
    return isSupportedCountry(code) ? code : undefined;
  }
  return byName[folded(name.trim()).normalize("NFC")];
}

function ofSuffix(suffix: string | undefined): CountryCode | undefined {
  const last = suffix?.slice(suffix.lastIndexOf(".") + 1).toLowerCase();
  if (last === undefined || last.length !== 2 || soldToAll.has(last)) return undefined;
  return byDomain[last] ?? countryOf(last);
}

function mostFrequent(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
