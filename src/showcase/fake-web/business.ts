import type { Random } from "../../base/random.ts";
import { emailForms, pick, type EmailForm } from "./email-writing.ts";
import { languages, type Language } from "./languages.ts";

/** The unusual property of a site. Each tests one thing that breaks naive crawlers. */
export type Trait =
  | "plain"
  | "redirects" //      the home page moves to a folder of its language
  | "slow" //           the contact page takes its time
  | "busy" //           429 with Retry-After, once
  | "broken_links" //   404s among the links
  | "endless" //        a calendar with a next page for ever
  | "bomb" //           a small file that unpacks to hundreds of megabytes
  | "windows_1252"
  | "shift_jis"
  | "utf_16"
  | "robots_partly" //  some pages are not for robots; one holds an address
  | "robots_none" //    nothing is for robots
  | "robots_delay" //   a crawl delay
  | "robots_failing" // robots.txt answers 500: nothing may be fetched
  | "parked"
  | "script_shell"; //  nothing without scripts

export interface Business {
  readonly id: string;
  readonly name: string;
  readonly legalName: string;
  readonly language: Language;
  readonly phrase: string;
  readonly tile: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly street: string;
  readonly town: string;
  readonly zip: string;
  readonly domain: string;
  readonly owner: string;
  readonly trait: Trait;
  readonly emails: readonly {
    readonly value: string;
    readonly form: EmailForm;
    readonly page: PageKind;
  }[];
  /** E.164 and as written on the site; the first is also on the home page. */
  readonly phones: readonly {
    readonly value: string;
    readonly written: string;
    readonly page: PageKind;
  }[];
  readonly fax?: { readonly value: string; readonly written: string };
  readonly socials: readonly string[];
}

export type PageKind = "home" | "contact" | "imprint" | "about" | "services";

export interface BusinessPlace {
  readonly index: number;
  readonly phrase: { readonly text: string; readonly number: number };
  readonly tile: { readonly id: string; readonly south: number; readonly west: number };
}

const traits: readonly Trait[] = [
  "plain",
  "redirects",
  "plain",
  "slow",
  "busy",
  "robots_partly",
  "windows_1252",
  "plain",
  "broken_links",
  "endless",
  "utf_16",
  "robots_delay",
  "plain",
  "bomb",
  "parked",
  "robots_none",
  "plain",
  "script_shell",
  "robots_failing",
  "plain",
];

export function makeBusiness({ index, phrase, tile }: BusinessPlace, random: Random): Business {
  const language = languages[index % languages.length]!;
  const number = random.below(language.families.length);
  const family = language.families[number]!;
  const trade = pick(language.trades[phrase.number]!, random);
  const isJapanese = language.code === "ja";
  const name = isJapanese
    ? `${family}${trade}`
    : language.code === "en"
      ? `${family} ${trade}`
      : `${trade} ${family}`;
  const latin = language.latin
    ? `${language.latin.families[number]}-${language.latin.trades[phrase.number]}`
    : slug(name);
  // Random letters, so that it is not a real domain.
  const domain = `${latin}-${code(random)}.${language.suffix}`;
  const place = random.below(language.towns.length);
  const given = pick(language.givenNames, random);
  const trait =
    language.code === "ja" && index % 2 === 0
      ? "shift_jis"
      : traits[Math.floor(index / 2) % traits.length]!;
  const fax = index % 3 === 0 ? makePhone(language.country, random) : undefined;
  return {
    id: `place-${index + 1}`,
    name,
    legalName: isJapanese ? `${language.legalForm}${name}` : `${name} ${language.legalForm}`,
    language,
    phrase: phrase.text,
    tile: tile.id,
    latitude: round(tile.south + 0.005 + random.next() * 0.09),
    longitude: round(tile.west + 0.005 + random.next() * 0.09),
    street: isJapanese
      ? `${pick(language.streets, random)}${1 + random.below(40)}`
      : `${pick(language.streets, random)} ${1 + random.below(120)}`,
    town: language.towns[place]!,
    zip: zipOf(language.country, random),
    domain,
    owner: isJapanese ? `${family}${given}` : `${given} ${family}`,
    trait,
    emails: makeEmails(domain, latin, random),
    phones: makePhones(language.country, random),
    ...(fax && { fax }),
    socials: makeSocials(latin, random),
  };
}

function makeEmails(domain: string, latin: string, random: Random): Business["emails"] {
  const boxes = ["info", "office", "contact", "hello"];
  const main = `${pick(boxes, random)}@${domain}`;
  const all: Business["emails"][number][] = [
    { value: main, form: pick(emailForms, random), page: "contact" },
  ];
  if (random.next() < 0.6) {
    all.push({
      value: `${latin.split("-")[0]}.${code(random)}@${domain}`,
      form: pick(emailForms, random),
      page: "about",
    });
  }
  if (random.next() < 0.3) {
    const value = `${latin.replaceAll("-", ".")}.${code(random)}@gmail.com`;
    all.push({ value, form: pick(emailForms, random), page: "imprint" });
  }
  return all;
}

function makePhones(country: Language["country"], random: Random): Business["phones"] {
  const first = { ...makePhone(country, random), page: "contact" as const };
  return random.next() < 0.5
    ? [first]
    : [first, { ...makePhone(country, random), page: "imprint" }];
}

/**
 * A number from a range that the regulator reserves for films, if there is one, written as is usual
 * there.
 */
function makePhone(
  country: Language["country"],
  random: Random,
): { value: string; written: string } {
  const three = String(100 + random.below(900));
  const four = String(1000 + random.below(9000));
  switch (country) {
    case "DE":
      return {
        value: `+498999998${three}`,
        written: pick(
          [
            `+49 (0) 89 / 999 98-${three}`,
            `089 99998${three}`,
            `(089) 99 99 8${three}`,
            `0049 89 99998 ${three}`,
          ],
          random,
        ),
      };
    case "GB":
      return {
        value: `+4420794600${three.slice(1)}`,
        written: pick(
          [`020 7946 00${three.slice(1)}`, `+44 (0)20 7946 00${three.slice(1)}`],
          random,
        ),
      };
    case "FR": {
      const [a, b] = [four.slice(0, 2), four.slice(2)];
      return {
        value: `+33199000000`.slice(0, 8) + four,
        written: pick(
          [`01 99 00 ${a} ${b}`, `01.99.00.${a}.${b}`, `+33 1 99 00 ${a} ${b}`],
          random,
        ),
      };
    }
    case "ES":
      return {
        value: `+3491012${four}`,
        written: pick([`910 12 ${four.slice(0, 2)} ${four.slice(2)}`, `+34 910 12${four}`], random),
      };
    case "JP":
      return {
        value: `+81355500${three}`,
        written: pick([`03-5550-0${three}`, `０３−５５５０−０${wide(three)}`], random),
      };
  }
}

function makeSocials(latin: string, random: Random): readonly string[] {
  const handle = `${latin.replaceAll("-", "")}${code(random)}`;
  return [
    `https://www.facebook.com/${handle}`,
    `https://www.instagram.com/${handle}`,
    `https://x.com/${handle.slice(0, 15)}`,
    `https://www.linkedin.com/company/${handle}`,
  ].filter(() => random.next() < 0.5);
}

const slug = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll("ß", "ss")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

const code = (random: Random): string =>
  Array.from({ length: 4 }, () => "bcdfghjkmnpqrstvwxz"[random.below(19)]).join("");

const zipOf = (country: Language["country"], random: Random): string =>
  country === "GB"
    ? `EX${1 + random.below(20)} ${1 + random.below(9)}AB`
    : country === "JP"
      ? `${100 + random.below(800)}-00${10 + random.below(80)}`
      : String(10_000 + random.below(80_000));

const wide = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
const round = (value: number): number => Math.round(value * 1e5) / 1e5;
