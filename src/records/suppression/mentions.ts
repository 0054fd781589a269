/**
 * Addresses and numbers inside other texts: `Call +1 512 555 0100` as the label of an address.
 * Suppressed values must not remain readable there either.
 */
import {
  findPhoneNumbersInText,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/min";
import { listPrefixes } from "../fields/fields.ts";
import { readEmail } from "../exchange/read-values.ts";
import type { SuppressionKey } from "./keys.ts";

interface Mention {
  readonly key: SuppressionKey;
  readonly start: number;
  readonly end: number;
}

/** Longer texts are searched up to here: labels and descriptions are shorter. */
const textMax = 20_000;
const mayHavePhone = /\d(?:[\s()./-]{0,3}\d){6}/;
/** A chat link with a phone number. */
const chatLink = /\bwa\.me\/(\d{7,15})\b/g;
const emailShape = /[^\s@<>()"',;:]{1,64}@[^\s@<>()"',;:]{1,190}/gu;
/** Times and ids of places have many digits, but are not phone numbers. */
const isOther = /^(?:\d{4}-\d\d-\d\d(?:T|$)|[a-z]+\/(?:[a-z]+\/)?[\w-]+$)/;

function mentionsIn(text: string, country: string | undefined): readonly Mention[] {
  const found: Mention[] = [];
  if (isOther.test(text)) return found;
  const part = text.slice(0, textMax);
  if (part.includes("@")) {
    for (const { 0: word, index } of part.matchAll(emailShape)) {
      const plain = word.replace(/\.+$/, "");
      const email = readEmail(plain);
      if (email !== undefined)
        found.push({ key: `email:${email}`, start: index, end: index + plain.length });
    }
  }
  if (mayHavePhone.test(part)) {
    for (const { 0: link, 1: digits = "", index } of part.matchAll(chatLink)) {
      const end = index + link.length;
      found.push({ key: `phone:+${digits}`, start: end - digits.length, end });
    }
    const code = country?.toUpperCase() ?? "";
    const where = isSupportedCountry(code) ? { defaultCountry: code } : {};
    for (const { number, startsAt, endsAt } of findPhoneNumbersInText(part, where)) {
      const isKnown = found.some(({ start, end }) => start < endsAt && startsAt < end);
      if (!isKnown) found.push({ key: `phone:${number.number}`, start: startsAt, end: endsAt });
    }
  }
  return found;
}

/**
 * The region for numbers without a country code: the company's country, otherwise that of one of
 * its numbers.
 */
export function regionOf(country: unknown, numbers: readonly string[]): string | undefined {
  if (typeof country === "string" && isSupportedCountry(country.toUpperCase())) return country;
  const [number] = numbers;
  return number === undefined ? undefined : parsePhoneNumberFromString(number)?.country;
}

/** The phone numbers among the names of fields. */
export const numbersIn = (fields: readonly string[]): readonly string[] =>
  fields.flatMap((field) =>
    field.startsWith(listPrefixes.phones) ? [field.slice(listPrefixes.phones.length)] : [],
  );

/** The keys of all addresses and numbers in the texts of a value. */
export function mentionedKeys(value: unknown, country?: string): readonly SuppressionKey[] {
  if (typeof value === "string") return mentionsIn(value, country).map(({ key }) => key);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((one) => mentionedKeys(one, country));
}

/** The same value, with `…` instead of each listed address or number in its texts. */
export function withoutMentions<T>(value: T, listed: ReadonlySet<string>, country?: string): T {
  if (listed.size === 0) return value;
  if (typeof value === "string") {
    const found = mentionsIn(value, country).filter(({ key }) => listed.has(key));
    let text: string = value;
    for (const { start, end } of found.toSorted((a, b) => b.start - a.start)) {
      text = `${text.slice(0, start)}…${text.slice(end)}`;
    }
    return text as T;
  }
  if (Array.isArray(value)) {
    return value.map((one: unknown) => withoutMentions(one, listed, country)) as T;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withoutMentions(one as unknown, listed, country)]), // prettier-ignore
  ) as T;
}
