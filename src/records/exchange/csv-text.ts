/** What a cell may hold. Lists become one cell, parted by `; `. */
export type CsvValue = string | number | boolean | undefined;

/**
 * One record as RFC 4180 writes it, with its line end. Text that a spreadsheet would run as a formula
 * gets an apostrophe in front, which is what spreadsheets themselves do; our import takes it off.
 *
 * A spreadsheet may split a line at other characters than commas: at `;` where that is the list
 * separator of the locale, at tabs or `|` where somebody says so. Quotes protect a cell only where a
 * cell begins, and the reader may see none beginning there: `A,";=1+1;",B` split at `;` has the cell
 * `=1+1`. So what would begin a formula after such a character gets an apostrophe too. A cell of
 * plain numbers, such as a list of phone numbers, calculates nothing and stays as it is; its quotes
 * keep what follows the last number from continuing it.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map((value, at) => csvCell(value, at === 0)).join(",")}\r\n`;
}

/** Most cells: nothing in them could begin a formula, part a line or need quotes. */
const harmless = /^[^\s"',;|=+\-@＝＋－＠](?:[^",;|\t\r\n]*[^\s",;|])?$/;

function csvCell(value: CsvValue, isFirst: boolean): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  if (harmless.test(value)) return value;
  const safe = guarded(value, { isFirst });
  return /[",;|\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * https://owasp.org/www-community/attacks/CSV_Injection: what begins with one of these is run. The
 * wide forms are what some spreadsheets take for them. A space in front is dropped by some, so it
 * does not protect.
 */
const formula = /^\s*[=+\-@\t\r\n＝＋－＠]/u;
/** A number or a phone number in its plain form calculates nothing, nor does a list of them. */
const plainNumbers = /^[+-]?\d+(?:\.\d+)?(?:; ?[+-]?\d+(?:\.\d+)?)*$/;

/** The first cell of a line may be taken for one with all that follows it, so no number is plain. */
export const guarded = (text: string, { isFirst = false } = {}): string => {
  if (!isFirst && plainNumbers.test(text)) return text;
  const inner = separator.test(text) ? text.replaceAll(innerStart, "$1'") : text;
  return formula.test(text) || guard.test(text) ? `'${inner}` : inner;
};

/** What looks guarded already gets one more, so that taking one off gives back what was there. */
const guard = /^'+\s*[=+\-@\t\r\n＝＋－＠]/u;

const separator = /[;|\t\r\n]/;
/** A separator before what would begin a formula there; a reader may drop quotes and spaces. */
const innerStart = /([;|\t\r\n])(?='*[\s"]*[=+\-@\t\r\n＝＋－＠])/gu;
const innerGuard = /([;|\t\r\n])'(?='*[\s"]*[=+\-@\t\r\n＝＋－＠])/gu;

/** The text of a cell that was guarded, as it was before. */
export const unguarded = (text: string): string =>
  (guard.test(text) ? text.slice(1) : text).replaceAll(innerGuard, "$1");
