import { isPartOfAddress, mayHoldAddress } from "../email/attribute-names.ts";

/**
 * What the attributes of a tag can matter for. Most tags have none that anybody asks for, and asking
 * each of them a dozen times was a third of the time a page took.
 */
export const flags = {
  id: 1,
  /** For scripts, and may hold an address. */
  data: 2,
  item: 4,
  /** Words that are shown without being text. */
  words: 8,
  /** It may be hidden or turned round. */
  style: 16,
  /** Its names may say which part of the page it is. */
  names: 32,
  role: 64,
} as const;

/** Flags by which a collector may ask for elements: the lowest, so that they count from 0. */
export const heardFlags = flags.id | flags.data | flags.item | flags.words;

export interface AttributeKind {
  /** "" for what nobody asks for. */
  readonly name: string;
  readonly flag: number;
}

/** All there is to know about a name as it is written, looked up once for each attribute. */
export function attributeKind(written: string): AttributeKind {
  const name = written.toLowerCase();
  return kinds.get(name) ?? newKind(name);
}

const unasked: AttributeKind = { name: "", flag: 0 };

function newKind(name: string): AttributeKind {
  if (!name.startsWith("data-")) return unasked;
  if (mayHoldAddress(name)) return { name, flag: flags.data };
  return isPartOfAddress(name) ? { name, flag: 0 } : unasked;
}

const kinds = new Map<string, AttributeKind>([
  ...named("style hidden", flags.style),
  ...named("class", flags.names),
  ...named("role", flags.role),
  ...named("id", flags.names | flags.id),
  ...named("itemprop itemscope", flags.item),
  ...named("title aria-label", flags.words),
  ...named("onclick onmouseover onmousedown", flags.data),
  ...named(
    "href src alt rel name content type itemtype lang xml:lang property http-equiv language dir datetime value",
    0,
  ),
]);

function named(names: string, flag: number): readonly (readonly [string, AttributeKind])[] {
  return names.split(" ").map((name) => [name, { name, flag }] as const);
}
