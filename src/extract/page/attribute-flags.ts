/**
 * What the attributes of a tag can matter for. Most tags have none that anybody asks for, and asking
 * each of them a dozen times was a third of the time a page took.
 */
export const flags = {
  /** It may be hidden or turned round. */
  style: 1,
  /** Its names may say which part of the page it is. */
  names: 2,
  /** data-…, on…: for scripts. */
  data: 4,
  item: 8,
  /** Words that are shown without being text. */
  words: 16,
} as const;

const byName: ReadonlyMap<string, number> = new Map([
  ["style", flags.style],
  ["hidden", flags.style],
  ["class", flags.names],
  ["id", flags.names],
  ["role", flags.names],
  ["itemprop", flags.item],
  ["itemscope", flags.item],
  ["title", flags.words],
  ["aria-label", flags.words],
]);

export const flagOf = (attribute: string): number =>
  byName.get(attribute) ??
  (attribute.startsWith("data-") || attribute.startsWith("on") ? flags.data : 0);

/** Flags for which the collectors hear of any element. */
export const heardFlags = flags.data | flags.item | flags.words;

/** The layout of pictures and forms, which nobody asks for. */
const ignored = new Set(
  (
    "width height srcset sizes loading decoding target border align valign bgcolor cellpadding cellspacing colspan rowspan " +
    "tabindex fetchpriority crossorigin integrity referrerpolicy autocomplete d fill stroke viewbox xmlns x y points transform"
  ).split(" "),
);
export const isIgnored = (attribute: string): boolean => ignored.has(attribute);
