/**
 * Writes the small part of YAML that Forager's files use: one key per line, plain or quoted text,
 * numbers, lists of text. Quoted text is JSON, which every YAML parser accepts. Text is plain only
 * if all parsers, also old ones, read it as text: `no`, `1e3` and `01234` are quoted.
 */
export function yamlLines(key: string, value: unknown): string {
  const name = yamlText(key);
  if (!Array.isArray(value)) return `${name}: ${yamlValue(value)}\n`;
  if (value.length === 0) return `${name}: []\n`;
  return `${name}:\n${value.map((one) => `  - ${yamlValue(one)}\n`).join("")}`;
}

/** Nested values are JSON on one line. */
const yamlValue = (value: unknown): string =>
  typeof value === "string" ? yamlText(value) : escaped(JSON.stringify(value));

export const yamlText = (text: string): string =>
  isPlain(text) ? text : escaped(JSON.stringify(text));

/** True if every parser reads the text as itself. */
export const isPlain = (text: string): boolean =>
  (words.test(text) && !meaningful.test(text)) || moment.test(text) || address.test(text);

const words = /^\p{L}(?:[\p{L}0-9 _./@+-]*[\p{L}0-9_./@+])?$/u;
const meaningful = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf|infinity)$/i;
const moment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?Z?)?$/;
const address = /^https?:\/\/[A-Za-z0-9_./@+?=&%~-]+$/;

/** Escapes line ends and marks that JSON allows and YAML does not. */
const escaped = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
