import { listPrefixes } from "../fields/fields.ts";
import { normalDomain } from "../fields/identity.ts";
import { placeField } from "../fields/places.ts";
import { readEmail, readPhone } from "../exchange/read-values.ts";

/** The kinds of entries on the suppression list. */
export const suppressionKinds = ["email", "domain", "phone", "place"] as const;
export type SuppressionKind = (typeof suppressionKinds)[number];

/** A value in the form in which it is compared: `email:anna@a.example`. */
export type SuppressionKey = `${SuppressionKind}:${string}`;

export const kindOfKey = (key: string): SuppressionKind =>
  key.slice(0, key.indexOf(":")) as SuppressionKind;

/** The key by which a field of a record is checked; undefined if it is not an address or number. */
export function suppressionKeyOf(field: string): SuppressionKey | undefined {
  const { emails, phones } = listPrefixes;
  if (field.startsWith(emails)) return `email:${field.slice(emails.length)}`;
  return field.startsWith(phones) ? `phone:${field.slice(phones.length)}` : undefined;
}

export interface KeyOptions {
  /** Two letters: the country assumed for a phone number without a country code. */
  readonly country?: string | undefined;
}

/** Parses a value of a known kind; undefined if it is not valid. */
export function readKeyOf(
  kind: SuppressionKind,
  text: string,
  { country }: KeyOptions = {},
): SuppressionKey | undefined {
  const value = {
    email: () => readEmail(text),
    domain: () => readListedDomain(text),
    phone: () => readPhone(text, country),
    place: () => (placeField(text.trim()) === undefined ? undefined : text.trim()),
  }[kind]();
  return value === undefined || value === "" ? undefined : `${kind}:${value}`;
}

/**
 * Parses user input: an address, a domain (`a.example`, `@a.example`, `*@a.example`), a number with
 * its country code, the id of a place (`osm/node/1`), or any of them with its kind in front.
 */
export function readKey(text: string, options: KeyOptions = {}): SuppressionKey | undefined {
  const trimmed = text.trim();
  const [, named, rest = ""] = /^(email|domain|phone|place):(.*)$/s.exec(trimmed) ?? [];
  if (named !== undefined) return readKeyOf(named as SuppressionKind, rest, options);
  if (/^\*?@/.test(trimmed)) return readKeyOf("domain", trimmed);
  if (trimmed.includes("@")) return readKeyOf("email", trimmed);
  if (/^(?:\+|00)?[\d\s()./-]{6,}$/.test(trimmed)) {
    return readKeyOf("phone", trimmed.replace(/^00(?=[1-9])/, "+"), options);
  }
  if (/^[a-z][\w-]*\/\S+$/.test(trimmed)) return readKeyOf("place", trimmed);
  return readKeyOf("domain", trimmed);
}

/** `https://www.A.example/x` is a.example. Text without a dot is not a domain. */
function readListedDomain(text: string): string | undefined {
  const domain = normalDomain(text.trim().replace(/^\*?@/, ""));
  return domainShape.test(domain) ? domain : undefined;
}

const domainShape = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u;
