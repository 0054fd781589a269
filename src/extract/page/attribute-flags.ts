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

/** Flags for which the collectors hear of any element. */
export const heardFlags = flags.data | flags.item | flags.words;

export interface AttributeKind {
  /** "" for what nobody asks for. */
  readonly name: string;
  readonly flag: number;
}

/** All there is to know about a name, looked up once for each attribute. */
export const attributeKind = (name: string): AttributeKind =>
  kinds.get(name) ?? {
    name,
    flag: name.startsWith("data-") || name.startsWith("on") ? flags.data : 0,
  };

const kinds: ReadonlyMap<string, AttributeKind> = new Map([
  ...named("style hidden", flags.style),
  ...named("class id role", flags.names),
  ...named("itemprop itemscope", flags.item),
  ...named("title aria-label", flags.words),
  ...named("href src alt rel name content type itemtype lang property", 0),
  // The layout of pictures and forms.
  ...named(
    "width height srcset sizes loading decoding target border align valign bgcolor cellpadding cellspacing colspan rowspan " +
      "tabindex fetchpriority crossorigin integrity referrerpolicy autocomplete d fill stroke viewbox xmlns x y points transform",
    0,
  ).map(([name]) => [name, { name: "", flag: 0 }] as const),
]);

function named(names: string, flag: number): readonly (readonly [string, AttributeKind])[] {
  return names.split(" ").map((name) => [name, { name, flag }] as const);
}
