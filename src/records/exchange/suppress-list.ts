import { normalDomain } from "../identity.ts";
import { readEmail } from "./read-values.ts";

/** Addresses and domains that are to be left out. */
export interface SuppressList {
  readonly size: number;
  /** Of that address itself, or of everything at its domain. */
  has(email: string): boolean;
  hasDomain(domain: string): boolean;
}

/**
 * Reads a list: one address or domain a line, `#` begins a comment, and of a CSV file its first
 * column counts. A line that is neither is told: who is to be left out must not be mailed because of
 * a typing error.
 */
export function readSuppressList(text: string): {
  readonly list: SuppressList;
  readonly problems: readonly string[];
} {
  const emails = new Set<string>();
  const domains = new Set<string>();
  const problems: string[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    const [cell = ""] = line.split(/[,;\t]/, 1);
    const entry = cell.replace(/#.*$/, "").replaceAll('"', "").trim().toLowerCase();
    if (entry === "" || (index === 0 && /^e-?mails?(?:[ -]?address)?$|^domains?$/.test(entry))) {
      continue;
    }
    const domain = entry.replace(/^\*?@/, "");
    const email = domain === entry ? readEmail(entry) : undefined;
    if (email !== undefined) emails.add(email);
    else if (domainShape.test(domain)) domains.add(normalDomain(domain));
    else problems.push(`line ${index + 1}: '${entry.slice(0, 80)}' is no address and no domain`);
  }
  const hasDomain = (domain: string) => {
    const parts = normalDomain(domain).split(".");
    return parts.some((_, at) => domains.has(parts.slice(at).join(".")));
  };
  const list: SuppressList = {
    size: emails.size + domains.size,
    has: (email) =>
      emails.has(readEmail(email) ?? email.toLowerCase()) ||
      hasDomain(email.slice(email.lastIndexOf("@") + 1)),
    hasDomain,
  };
  return { list, problems };
}

const domainShape = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u;
