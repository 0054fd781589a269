import type { TargetView } from "../../ledger/index.ts";
import { extraPrefix, socialPrefix } from "../fields/fields.ts";
import {
  bodyField,
  networkName,
  socialKeyPrefix,
  type KeyMeaning,
  type RecordLayout,
} from "../files/layout.ts";
import type { RecordKind } from "../records.ts";
import { isOwnName } from "../ingest/spellings.ts";

const nameField = "name";

/** The content of a file: its keys in order, and the Markdown below them. */
export interface PageContent {
  readonly keys: ReadonlyMap<string, unknown>;
  readonly body: string | undefined;
}

/** The content of a file as facts: field → value. An element of a list has the value `true`. */
export type Facts = ReadonlyMap<string, unknown>;

export interface Links {
  /** `[[people/anna/_index|Anna]]`; the target if the record is unknown. */
  textOf(target: string): string;
  /** The target of a link; undefined if there is no such record. */
  targetOf(to: RecordKind, text: string): string | undefined;
}

/** The part of a record that its file shows. The rest is only in the ledger. */
export function pageOf(layout: RecordLayout, view: TargetView, links: Links): PageContent {
  const keys = new Map<string, unknown>();
  const fields = new Map(view.fields.map(({ field, value }) => [field, value]));
  for (const [key, meaning] of layout.keys) {
    const value = valueOf(meaning, fields, links);
    if (value !== undefined) keys.set(key, value);
  }
  for (const [field, value] of fields) {
    const network = field.startsWith(socialPrefix) ? field.slice(socialPrefix.length) : "";
    if (networkName.test(network) && isText(value)) keys.set(socialKeyPrefix + network, value);
    const extra = field.startsWith(extraPrefix) ? field.slice(extraPrefix.length) : "";
    if (isExtraKey(layout, extra) && isShown(value)) keys.set(extra, value);
  }
  const body = fields.get(bodyField);
  // A file cannot contain an unpaired surrogate; in a key it is escaped.
  return { keys, body: isText(body) ? body.replaceAll(/\p{Surrogate}/gu, "\ufffd") : undefined };
}

function valueOf(meaning: KeyMeaning, fields: Facts, links: Links): unknown {
  switch (meaning.kind) {
    case "text": {
      const value = fields.get(meaning.field);
      return isText(value) ? value : undefined;
    }
    case "number": {
      const value = fields.get(meaning.field);
      return typeof value === "number" ? value : undefined;
    }
    case "list":
    case "links": {
      const { prefix } = meaning;
      const found = [...fields.keys()].flatMap((field) =>
        field.startsWith(prefix) ? [field.slice(prefix.length)] : [],
      );
      if (found.length === 0) return undefined;
      return meaning.kind === "list" ? found : found.map((id) => links.textOf(prefix + id));
    }
    case "aliases": {
      const name = fields.get(nameField);
      const all = [...(isText(name) ? [name] : []), ...textsIn(fields.get(meaning.field))];
      return all.length === 0 ? undefined : [...new Set(all)];
    }
    case "own":
      return undefined;
  }
}

/** The texts in a value that may have any type. */
const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter(isText);

/** A link to a record that does not exist may be a typo, so it is reported. */
export interface UnknownLink {
  readonly key: string;
  readonly text: string;
}

/** Calls `onUnknownLink` for links to records that do not exist. */
export function factsOf(
  layout: RecordLayout,
  page: PageContent,
  links: Links,
  onUnknownLink: (link: UnknownLink) => void = () => {},
): Facts {
  const facts = new Map<string, unknown>();
  for (const [key, value] of page.keys) {
    const meaning = meaningOf(layout, key);
    if (meaning.kind === "text" || meaning.kind === "number") facts.set(meaning.field, value);
    if (meaning.kind === "list") {
      for (const one of value as readonly string[]) facts.set(meaning.prefix + one, true);
    }
    if (meaning.kind === "aliases") {
      const added = (value as readonly string[]).filter((one) => one !== page.keys.get(nameField));
      if (added.length > 0) facts.set(meaning.field, added);
    }
    if (meaning.kind !== "links") continue;
    for (const text of value as readonly string[]) {
      const target = links.targetOf(meaning.to, text);
      if (target === undefined) onUnknownLink({ key, text });
      else facts.set(target, true);
    }
  }
  if (page.body !== undefined) facts.set(bodyField, page.body);
  return facts;
}

/** Keys that are not in the layout are the page of a network, or custom keys. */
export function meaningOf(layout: RecordLayout, key: string): KeyMeaning {
  const known = layout.keys.get(key);
  if (known) return known;
  const network = key.startsWith(socialKeyPrefix) ? key.slice(socialKeyPrefix.length) : "";
  return networkName.test(network)
    ? { kind: "text", field: socialPrefix + network }
    : { kind: "text", field: extraPrefix + key };
}

/** True if the key may have any value. */
export const isExtraKey = (layout: RecordLayout, key: string): boolean =>
  key !== "" && isOwnName(layout.spellings, key) && !layout.keys.has(key)
    ? fieldOf(layout, key).startsWith(extraPrefix)
    : false;

function fieldOf(layout: RecordLayout, key: string): string {
  const meaning = meaningOf(layout, key);
  return "field" in meaning ? meaning.field : "";
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isShown = (value: unknown) => value !== undefined && value !== null;
