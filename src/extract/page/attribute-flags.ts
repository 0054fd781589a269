import { isPartOfAddress, mayHoldAddress } from "../email/attribute-names.ts";

/**
 * What the attributes of a tag are relevant for. Most tags have no relevant attribute, and testing
 * each tag for every one of them took a third of the time of a page.
 */
export const flags = {
  id: 1,
  /** Data for scripts; may contain an address. */
  data: 2,
  item: 4,
  /** Text that is shown to readers, such as titles and labels. */
  words: 8,
  /** May hide or reverse the element. */
  style: 16,
  /** Class and id names, which may say which part of the page the element is. */
  names: 32,
  role: 64,
} as const;

/**
 * Flags by which a collector may subscribe to elements: the lowest bits, so that they count from 0.
 */
export const interestFlags = flags.id | flags.data | flags.item | flags.words;

export interface AttributeKind {
  /** "" for an attribute that is not relevant. */
  readonly name: string;
  readonly flag: number;
}

/** The kind of an attribute name as written, looked up once for each attribute. */
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
