import { createHash } from "node:crypto";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import type { CreateRequest } from "./records.ts";

const idLengthMax = 80;
const safe = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/**
 * The id of a new company, from the strongest key that it is known by elsewhere: two nodes that
 * find the same one, without hearing of each other, give it the same id. A key that is long or odd
 * is hashed. Part of the format: it never changes.
 */
export function companyId(
  { fields, key }: Pick<CreateRequest, "fields" | "key">,
  random: Random,
): string {
  const { place, domain } = fields;
  if (typeof place === "string" && place !== "") return safeId(place.replaceAll("/", "."));
  if (typeof domain === "string" && domain !== "") return safeId(normalDomain(domain));
  return key === undefined ? createId(random, randomLength) : safeId(key);
}

/** 80 bits: nobody meets another's. */
export const randomLength = 16;

export function safeId(key: string): string {
  const text = key.toLowerCase();
  if (text === key && safe.test(text) && !text.includes("..") && text.length <= idLengthMax) {
    return text;
  }
  return `h-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/** `https://www.Acme.com/x` is `acme.com`. */
export function normalDomain(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/[/?#].*$/s, "")
    .replace(/:\d+$/, "")
    .replace(/^www\./, "")
    .replace(/\.$/, "");
}

/** What a new record's folder is to be called: the first of its fields that is text. */
export const firstText = (...values: readonly unknown[]): string =>
  values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
