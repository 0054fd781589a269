/** Finds texts, such as an address, in values and in names of fields. */
export interface TextFinder {
  isIn(value: unknown): boolean;
  /**
   * The same value with `…` in their place. Names of erased fields are taken out of lists, properties
   * whose name has one of the texts are left out.
   */
  without(value: unknown): unknown;
}

interface WhatGoes {
  /** Names of erased fields. */
  readonly fields: readonly string[];
  readonly texts?: readonly string[] | undefined;
}

const special = /[.*+?^${}()|[\]\\/-]/g;
const escaped = /(?:%[0-9a-f]{2})+/gi;

/** Case does not matter. `anna@a.b` is not found in `joanna@a.b` or `anna@a.b.org`. */
export function createTextFinder({ fields, texts = [] }: WhatGoes): TextFinder {
  const longestFirst = texts.filter((text) => text !== "").toSorted((a, b) => b.length - a.length);
  const words = longestFirst.map((text) => text.replace(special, "\\$&")).join("|");
  // Without texts it matches nothing.
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}._%+-])(?:${words || "(?!)"})(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, "giu"); // prettier-ignore
  const names = new Set<unknown>(fields);
  const has = (text: string) => text.search(pattern) >= 0;
  const isInText = (text: string) =>
    has(text) || (text.includes("%") && has(text.replace(escaped, unescaped)));
  const isIn = (value: unknown): boolean => {
    if (typeof value === "string") return isInText(value);
    if (typeof value !== "object" || value === null) return false;
    return Object.entries(value).some(([name, one]) => isInText(name) || isIn(one));
  };
  const without = (value: unknown): unknown => {
    if (typeof value === "string") {
      const left = value.replace(pattern, "…");
      return isInText(left) ? "…" : left;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.filter((one) => !names.has(one)).map(without);
    const entries = Object.entries(value).filter(([name]) => !isInText(name));
    return Object.fromEntries(entries.map(([name, one]) => [name, without(one)]));
  };
  return { isIn, without };
}

/** Text that is not UTF-8 is no address. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
