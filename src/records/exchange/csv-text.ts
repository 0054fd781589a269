/** The content of a cell. Lists become one cell, separated by `; `. */
export type CsvValue = string | number | boolean | undefined;

/**
 * One record as RFC 4180 defines it, with its line end. Text that a spreadsheet would run as a
 * formula is prefixed with an apostrophe, as spreadsheets themselves do; our import removes it.
 *
 * A spreadsheet may split a line at characters other than commas: at `;` if that is the list
 * separator of the locale, at tabs or `|` if the user chooses so. Quotes protect a cell only at the
 * start of a cell, and the reader may not see a cell starting there: `A,";=1+1;",B` split at `;`
 * contains the cell `=1+1`. So text that would start a formula after such a character gets an
 * apostrophe too. A cell of plain numbers, such as a list of phone numbers, calculates nothing and
 * is not changed; its quotes keep the following text from continuing the last number.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map((value, at) => csvCell(value, at === 0)).join(",")}\r\n`;
}

/** Matches most cells: nothing in them can start a formula, split a line or require quotes. */
const harmless = /^[^\s"',;|=+\-@＝＋－＠](?:[^",;|\t\r\n]*[^\s",;|])?$/;

function csvCell(value: CsvValue, isFirst: boolean): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  if (harmless.test(value)) return value;
  const safe = guarded(value, { isFirst });
  return /[",;|\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * https://owasp.org/www-community/attacks/CSV_Injection: text that begins with one of these is
 * executed. Some spreadsheets treat the full-width forms alike, and some drop a leading space, so a
 * space does not protect.
 */
const formula = /^\s*[=+\-@\t\r\n＝＋－＠]/u;
/** A number, a phone number, or a list of them calculates nothing. */
const plainNumbers = /^[+-]?\d+(?:\.\d+)?(?:; ?[+-]?\d+(?:\.\d+)?)*$/;

/** A reader may take the whole line for the first cell, so there no number counts as plain. */
export const guarded = (text: string, { isFirst = false } = {}): string => {
  if (!isFirst && plainNumbers.test(text)) return text;
  const inner = separator.test(text) ? text.replaceAll(innerStart, "$1'") : text;
  return formula.test(text) || guard.test(text) ? `'${inner}` : inner;
};

/** Text that already looks guarded gets one more apostrophe, so that removing one restores it. */
const guard = /^'+\s*[=+\-@\t\r\n＝＋－＠]/u;

const separator = /[;|\t\r\n]/;
/** A separator followed by text that would start a formula; a reader may drop quotes and spaces. */
const innerStart = /([;|\t\r\n])(?='*[\s"]*[=+\-@\t\r\n＝＋－＠])/gu;
const innerGuard = /([;|\t\r\n])'(?='*[\s"]*[=+\-@\t\r\n＝＋－＠])/gu;

/** Reverses `guarded`. */
export const unguarded = (text: string): string =>
  (guard.test(text) ? text.slice(1) : text).replaceAll(innerGuard, "$1");
