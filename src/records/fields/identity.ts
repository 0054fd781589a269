import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import { createId, idOfText } from "../../base/ids.ts";
import { asciiHost } from "../../base/text/parse-url.ts";
import type { Random } from "../../base/random.ts";
import type { CreateRequest } from "../records.ts";

const idLengthMax = 80;
const safe = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

const hashedId = (readableId: string) => idOfText(`company\n${readableId}`, randomLength);

export interface CompanyIds {
  readonly id: string;
  /** The id that earlier versions give a company with this key; absent without a key. */
  readonly readableId?: string;
  readonly isOfRequest: boolean;
}

/**
 * The id of a new company, derived from the strongest key that identifies it elsewhere: two nodes
 * that find the same company independently give it the same id. It is a hash, because ids stay in
 * the journals when a company is forgotten. Part of the format: it never changes. Without such a key
 * the id is `request.id`, otherwise random.
 */
export function companyIds(
  { fields, key, id, isSeparate = false }: Omit<CreateRequest, "source">,
  random: Random,
): CompanyIds {
  const { place, domain } = fields;
  const derived = (text: string): CompanyIds => {
    const readableId = safeId(text);
    return { id: hashedId(readableId), readableId, isOfRequest: false };
  };
  if (!isSeparate) {
    if (typeof place === "string" && place !== "") return derived(place.replaceAll("/", "."));
    if (typeof domain === "string" && domain !== "") return derived(normalDomain(domain));
    if (key !== undefined) return derived(key);
  }
  if (id !== undefined) checkId(id);
  return { id: id ?? createId(random, randomLength), isOfRequest: id !== undefined };
}

/** Ids that a company known by this domain or place can have, whatever version made it. */
export function idsOfName(name: string): readonly string[] {
  const readable = [safeId(normalDomain(name)), safeId(name.replaceAll("/", "."))];
  return [...new Set([...readable, ...readable.map(hashedId)])];
}

/** Validates ids from callers. */
export function checkId(id: string): void {
  if (isSafeId(id)) return;
  const message = `"${id.slice(0, 80)}" cannot be an id: use a-z, 0-9, dots and dashes, at most ${idLengthMax} characters`;
  throw new AppError("invalid", "records_id", message);
}

export const isSafeId = (id: string): boolean => safeId(id) === id;

/** 80 bits, so collisions do not occur in practice. */
export const randomLength = 16;

export function safeId(key: string): string {
  const text = key.toLowerCase();
  if (text === key && safe.test(text) && !text.includes("..") && text.length <= idLengthMax) {
    return text;
  }
  return `h-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/** Most stored domains already have this form. */
const plainDomain = /^(?!www\.)[a-z0-9]+(?:[.-][a-z0-9]+)*$/;

/** `https://www.Acme.com/x` is `acme.com`; a Unicode host is converted to punycode, as in URLs. */
export function normalDomain(text: string): string {
  if (plainDomain.test(text)) return text;
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, "")
    .replace(/[/?#].*$/s, "")
    .replace(/:\d+$/, "")
    .replace(/^www\./, "")
    .replace(/\.$/, "");
  return asciiHost(host) ?? host;
}

/** The text for a new record's folder name: the first field that is text. */
export const firstText = (...values: readonly unknown[]): string =>
  values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
