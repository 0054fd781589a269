import { marks, marksOf } from "./marks.ts";
import { classOf, invisibleRanges, spaceRanges } from "./odd-characters.ts";

const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const invisible = new RegExp(`[${classOf(invisibleRanges)}]`, "g");
// oxlint-disable-next-line no-control-regex -- those are what it asks for
const plainSpaces = /[\0-\x20\x7f]+/g;
const spaces = new RegExp(`[${classOf(spaceRanges)}]+`, "g");

/** As a reader sees it: nothing invisible, every run of space a single one. */
export function shown(text: string): string {
  const bits = marksOf(text);
  return (bits & marks.odd) === 0 ? text : withoutOdd(text, bits);
}

/** The same, of a text that is known to have something odd in it. `bits`: its marks. */
export function withoutOdd(text: string, bits: number): string {
  if ((bits & marks.wide) === 0) return text.replace(plainSpaces, " ");
  return text.replace(invisible, "").replace(spaces, " ").replace(loneSurrogates, "");
}

export const backwards = (text: string): string => Array.from(text).reverse().join("");
