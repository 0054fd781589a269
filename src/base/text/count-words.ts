/** `1 task`, `12,345 tasks`. */
export const countTasks = (count: number): string => countOf(count, "task");

/** `1 company`, `2 people`. Give the plural if the noun is not the last word. */
export const countOf = (count: number, noun: string, plural = pluralOf(noun)): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`;

function pluralOf(noun: string): string {
  if (noun.endsWith("person")) return noun.replace(/person$/, "people");
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, "ies");
  return /(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

export const formatCount = (count: number): string => count.toLocaleString("en-US");

/**
 * For hours and dollars: `12,345.5`, `0.4`, `0.000021`. A value that is not zero is never shown as
 * zero.
 */
export const formatAmount = (amount: number): string =>
  Math.abs(amount) < 1
    ? amount.toLocaleString("en-US", { maximumSignificantDigits: 3, maximumFractionDigits: 20 })
    : formatCount(amount);
