import { marks, marksOf } from "./marks.ts";
import { classOf, invisibleRanges, spaceRanges } from "./odd-characters.ts";

const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const invisible = new RegExp(`[${classOf(invisibleRanges)}]`, "g");
// oxlint-disable-next-line no-control-regex -- those are what it asks for
const plainSpaces = /[\0-\x20\x7f]+/g;
const spaces = new RegExp(`[${classOf(spaceRanges)}]+`, "g");

/** The text as a reader sees it: without invisible characters, with single spaces. */
export function shown(text: string): string {
  const bits = marksOf(text);
  return (bits & marks.odd) === 0 ? text : withoutOdd(text, bits);
}

/** The same for a text with odd characters. `bits`: its marks. */
export function withoutOdd(text: string, bits: number): string {
  if ((bits & marks.wide) === 0) return text.replace(plainSpaces, " ");
  return text.replace(invisible, "").replace(spaces, " ").replace(loneSurrogates, "");
}

export const backwards = (text: string): string => Array.from(text).reverse().join("");
