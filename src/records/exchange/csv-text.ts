/** What a cell may hold. Lists become one cell, parted by `; `. */
export type CsvValue = string | number | boolean | undefined;

/**
 * One record as RFC 4180 writes it, with its line end. Text that a spreadsheet would run as a formula
 * gets an apostrophe in front, which is what spreadsheets themselves do; our import takes it off.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: CsvValue): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const safe = guarded(value);
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * https://owasp.org/www-community/attacks/CSV_Injection: what begins with one of these is run. The
 * wide forms are what some spreadsheets take for them. A space in front is dropped by some, so it
 * does not protect.
 */
const formula = /^\s*[=+\-@\t\r\n＝＋－＠]/u;
/** A number or a phone number in its plain form calculates nothing. */
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/;

export const guarded = (text: string): string =>
  (formula.test(text) && !plainNumber.test(text)) || guard.test(text) ? `'${text}` : text;

/** What looks guarded already gets one more, so that taking one off gives back what was there. */
const guard = /^'+\s*[=+\-@\t\r\n＝＋－＠]/u;

/** The text of a cell that was guarded, as it was before. */
export const unguarded = (text: string): string => (guard.test(text) ? text.slice(1) : text);
