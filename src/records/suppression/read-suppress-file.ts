import type { Suppression } from "./suppression.ts";
import { readKeyOf, type SuppressionKey } from "./keys.ts";

/**
 * Reads a list for one export: one address or domain per line, `#` begins a comment, and of a CSV
 * file the first column is used. A line that is neither is a problem: nobody may be mailed because
 * of a typing error.
 */
export function readSuppressFile(text: string): {
  readonly list: Suppression;
  readonly problems: readonly string[];
} {
  const listed = new Set<SuppressionKey>();
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
    const isDomain = /^\*?@/.test(entry) || !entry.includes("@");
    const key = readKeyOf(isDomain ? "domain" : "email", entry);
    if (key !== undefined) listed.add(key);
    else
      problems.push(
        `line ${index + 1}: '${entry.slice(0, 80)}' is neither an address nor a domain`,
      );
  }
  return { list: inMemory(listed), problems };
}

/**
 * The same rule as in the ledger: an address is also listed by its domain, a domain by a parent
 * domain.
 */
const inMemory = (listed: ReadonlySet<string>): Suppression => ({
  among: async (keys) =>
    new Set(
      listed.size === 0
        ? []
        : keys.filter((key) => {
            if (listed.has(key)) return true;
            if (!/^(?:email|domain):/.test(key)) return false;
            const host = key.slice(Math.max(key.lastIndexOf("@"), key.indexOf(":")) + 1);
            const labels = host.split(".");
            return labels.some((_, at) => listed.has(`domain:${labels.slice(at).join(".")}`));
          }),
    ),
  isEmpty: async () => listed.size === 0,
});
