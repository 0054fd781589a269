import type { CountryCode } from "libphonenumber-js/max";
import type { PhoneFact } from "../page-facts.ts";
import type { Collector, PageLine } from "../page/page-events.ts";
import { digitsIn, marks } from "../text/marks.ts";
import { decoded, labelOf } from "../email/mailto.ts";
import { findNumbers } from "./find-numbers.ts";
import { isTaxNumber, labelBefore, type PhoneLabel } from "./phone-labels.ts";
import { looksLikePhone, readNumber } from "./read-number.ts";

/**
 * Numbers are collected in the pass and parsed after it, because only then their country is known.
 */
export interface PhoneCollector extends Collector {
  /** Countries of the numbers that have a country code. */
  countries(): readonly string[];
  finish(options: FinishPhones): {
    readonly phones: readonly PhoneFact[];
    readonly faxes: readonly PhoneFact[];
  };
}

export interface FinishPhones {
  readonly url: string;
  readonly country: CountryCode | undefined;
  /** From structured data. */
  readonly stated: readonly string[];
  readonly statedFaxes: readonly string[];
}

interface Noted {
  readonly text: string;
  readonly method: PhoneFact["method"];
  readonly says: PhoneLabel;
  readonly extension?: string | undefined;
  /** The text before it, from which the label is taken when the number proves valid. */
  before?: string | undefined;
}

const notedMax = 300;

export function createPhoneCollector(): PhoneCollector {
  const noted: Noted[] = [];
  let links: Noted[] = [];
  let lastLine = "";
  const labels = new Map<string, PhoneLabel>();
  const note = (one: Noted): void => void (noted.length < notedMax && noted.push(one));

  function line({ text, seams, marks: bits }: PageLine): void {
    for (const link of links) link.before ??= text.replace(/[+\d][\d\s()./-]{5,}/g, " ");
    links = [];
    if (mayHold(text, bits)) search(unglued(text, seams));
    lastLine = text.length < 60 ? text : "";
  }

  function search(text: string): void {
    const plain = wide.test(text) ? text.normalize("NFKC") : text;
    for (const { text: number, start, end, extension } of findNumbers(plain)) {
      if (isDate(number)) continue;
      const before = plain.slice(Math.max(0, start - 60), start);
      // The label may be in the previous cell or on the previous line.
      const says = isTaxNumber(before, number)
        ? "other"
        : (labelled(before.trim() === "" ? `${lastLine} ` : before) ??
          labelAfter(plain.slice(end, end + 12)));
      note({ text: number, method: "text", says, extension, before: before.slice(-40) });
    }
    if (!lettered.test(plain)) return;
    for (const [, letters] of plain.matchAll(vanity))
      note({ text: digitsOf(letters!), method: "text", says: "phone" });
  }

  /** Cached, because lists of articles, dates and prices have the same words before each number. */
  function labelled(before: string): PhoneLabel {
    let label = labels.get(before);
    if (label === undefined && !labels.has(before)) {
      label = labelBefore(before);
      if (labels.size < notedMax) labels.set(before, label);
    }
    return label;
  }

  return {
    interest: { elements: "a" },
    open({ attributes: { href }, isHidden }) {
      if (isHidden || href === undefined || isPath(href) || !mayCall.test(href)) return;
      const number = /^\s{0,5}(?:tel|callto|phone)\s{0,3}:\/{0,2}(.{4,60})/is.exec(
        decoded(href.slice(0, 200)),
      )?.[1];
      if (number === undefined) return;
      // Fax numbers are linked too; the words before them show it.
      const says = labelBefore(lastLine) === "fax" ? "fax" : "phone";
      const one: Noted = { text: number.replace(/[;?,].*$/s, ""), method: "tel", says };
      links.push(one);
      note(one);
    },
    line,
    countries: () =>
      noted.flatMap(({ text }) =>
        /^\s*(?:\+|00)/.test(text) ? (readNumber(text, undefined)?.country ?? []) : [],
      ),
    finish: (options) => finish(noted, options),
  };
}

function finish(noted: readonly Noted[], options: FinishPhones) {
  const { url, stated, statedFaxes } = options;
  const faxes = new Map<string, PhoneFact>();
  const phones = new Map<string, PhoneFact>();
  const written = new Map<string, string>();
  const others = new Set<string>();
  const all: readonly Noted[] = [
    ...noted.filter(({ method }) => method === "tel"),
    ...stated.map((text): Noted => ({ text, method: "structured", says: "phone" })),
    ...statedFaxes.map((text): Noted => ({ text, method: "structured", says: "fax" })),
    ...noted.filter(({ method }) => method !== "tel"),
  ];
  for (const one of all) {
    const country = options.country ?? (northAmerican.test(one.text) ? "US" : undefined);
    if (
      one.says === undefined &&
      (!country ? !/^\s*\+/.test(one.text) : !looksLikePhone(one.text, country))
    )
      continue;
    if (one.says === undefined && !looksLikePhone(one.text, country ?? "US")) continue;
    if (one.says === "other") {
      // Not parsed as telephone numbers: a shop's page has hundreds of article numbers.
      others.add(bareDigits(one.text));
      continue;
    }
    const number = readNumber(one.text, country);
    if (!number) continue;
    const target = one.says === "fax" ? faxes : phones;
    if (target.has(number.value)) continue;
    written.set(number.value, bareDigits(one.text));
    const extension = one.extension ?? number.extension;
    const label = one.before === undefined ? undefined : labelOf(one.before);
    target.set(number.value, {
      value: number.value,
      ...(extension !== undefined && { extension }),
      ...(number.country !== undefined && { country: number.country }),
      method: one.method,
      ...(label !== undefined && { label }),
      url,
    });
  }
  // A fax number without its label elsewhere is still a fax, unless a link or structured data
  // offers it as a telephone.
  const isFaxOnly = ({ value, method }: PhoneFact) => faxes.has(value) && method === "text";
  const isOther = ({ value, method }: PhoneFact) =>
    method === "text" && others.has(written.get(value)!);
  return {
    phones: [...phones.values()].filter((phone) => !isFaxOnly(phone) && !isOther(phone)),
    faxes: [...faxes.values()].filter(({ value }) => phones.get(value)?.method !== "tel"),
  };
}

const bareDigits = (text: string): string => text.replace(/\D/g, "").replace(/^0+/, "");

/** A format of North America only; on a page without other hints it shows the country. */
const northAmerican = /^\s*(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}\s*$/;

/** Adds a space between letters and digits of different elements: "<b>Phone</b><i>089 …</i>". */
function unglued(text: string, seams: readonly number[]): string {
  if (seams.length === 0) return text;
  let plain = "";
  let from = 0;
  for (const seam of seams) {
    if (!/^(?:\p{L}[\d+(]|\d\p{L})$/u.test(text.slice(seam - 1, seam + 1))) continue;
    plain += `${text.slice(from, seam)} `;
    from = seam;
  }
  return plain + text.slice(from);
}

/** "12.03.2024", perhaps with the hour: not a telephone number, and frequent in tables. */
const isDate = (text: string): boolean =>
  /^(?:(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])[./-](?:19|20)\d{2}|(?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?: \d{1,2})?$/.test(
    text,
  );

/** "089 1234567 (Fax)" */
const labelAfter = (text: string): PhoneLabel =>
  /^\s{0,2}[([]?\s{0,1}(?:fax|telefax)\b/i.test(text) ? "fax" : undefined;

/** True for most links. */
const isPath = (href: string): boolean => href.charCodeAt(0) === slash;
const slash = 47;
const mayCall = /^\s{0,5}[tcp%]/i;
const wide = /[\uff10-\uff19\uff08\uff09\uff0b\uff0d]/;
const wideDigits = marks.wide | marks.digit;
/** Six digits close together, wide digits, or the beginning of a number in letters. */
const mayHold = (text: string, bits: number): boolean =>
  (digitsIn(bits) >= 6 && /\d\D{0,4}\d\D{0,4}\d\D{0,4}\d\D{0,4}\d\D{0,4}\d/.test(text)) ||
  ((bits & wideDigits) === wideDigits && /[\uff10-\uff19]{2}/.test(text)) ||
  (digitsIn(bits) >= 3 && lettered.test(text));
const lettered = /8(?:00|88|77|66|55|44|33)\)?[-. ][A-Z\d]/;
/** 1-800-FLOWERS */
const vanity =
  /(?<![\d-])((?:\+?1[-. ]?)?\(?8(?:00|33|44|55|66|77|88)\)?[-. ](?=[\dA-Z-]{0,8}[A-Z])[A-Z\d]{1,7}(?:[- ]?[A-Z\d]{1,6}){0,2})(?![a-z])/g;

const keypad = "22233344455566677778889999";
const digitsOf = (text: string): string => {
  const digits = text
    .replace(/[A-Z]/g, (letter) => keypad[letter.charCodeAt(0) - 65]!)
    .replace(/[^\d]/g, "");
  return `+1${digits.replace(/^1/, "").slice(0, 10)}`;
};
