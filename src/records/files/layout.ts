import {
  aliasesField,
  companyPrefix,
  listPrefixes,
  numberFields,
  personPrefix,
  textFields,
  type ListName,
} from "../fields/fields.ts";
import { personTextFields } from "../fields/person.ts";
import type { RecordKind } from "../records.ts";
import { keySpellings, type KeySpellings } from "../ingest/spellings.ts";

/** The format of a kind of record in its file: its keys, their order, and their meanings. */
export interface RecordLayout {
  readonly kind: RecordKind;
  /** Relative to the data folder. */
  readonly folder: "companies" | "people";
  readonly keys: ReadonlyMap<string, KeyMeaning>;
  /** Other spellings of these keys that users may write. */
  readonly spellings: KeySpellings;
}

export type KeyMeaning =
  | { readonly kind: "text"; readonly field: string }
  | { readonly kind: "number"; readonly field: string }
  | { readonly kind: "list"; readonly prefix: string }
  /** Links to records of the other kind: `[[people/anna/_index|Anna]]`. */
  | { readonly kind: "links"; readonly prefix: string; readonly to: RecordKind }
  /** The name, by which Obsidian finds the file, followed by names that users added. */
  | { readonly kind: "aliases"; readonly field: string }
  /** Identifies the record and the render; not a fact. */
  | { readonly kind: "own" };

export const recordFile = "_index.md";
/** The field that is the body of a file. */
export const bodyField = "description";
export const socialKeyPrefix = "social_";
/** Only networks with such a name become a key. */
export const networkName = /^[a-z0-9][a-z0-9_-]{0,40}$/;

const list = (name: ListName) => [name, { kind: "list", prefix: listPrefixes[name] }] as const;
const text = (field: string) => [field, { kind: "text", field }] as const;
const own = (key: string) => [key, { kind: "own" }] as const;
const aliases = ["aliases", { kind: "aliases", field: aliasesField }] as const;
const texts = (fields: readonly string[], but: ReadonlySet<string> = new Set()) =>
  fields.filter((field) => !but.has(field)).map(text);

/** Forager's own keys have one spelling, because users do not write them. */
function recordLayout(
  kind: RecordKind,
  folder: RecordLayout["folder"],
  keys: readonly (readonly [string, KeyMeaning])[],
): RecordLayout {
  const written = keys.flatMap(([key, meaning]) => (meaning.kind === "own" ? [] : [key]));
  return {
    kind,
    folder,
    keys: new Map(keys),
    spellings: keySpellings([...written, bodyField], socialKeyPrefix),
  };
}

const last = ["excluded", "callback", "enrichedAt", "foundAt"];

const companyLayout = recordLayout("company", "companies", [
  text("name"),
  list("emails"),
  list("phones"),
  ...texts(textFields, new Set(last)),
  ...numberFields.map((field) => [field, { kind: "number", field }] as const),
  list("categories"),
  list("services"),
  list("products"),
  list("tech"),
  list("keywords"),
  list("tags"),
  ["people", { kind: "links", prefix: personPrefix, to: "person" }],
  ...texts(last),
  aliases,
  own("id"),
  own("rev"),
  own("movedTo"),
]);

const personLayout = recordLayout("person", "people", [
  text("name"),
  list("emails"),
  list("phones"),
  ...texts(personTextFields),
  list("tags"),
  ["companies", { kind: "links", prefix: companyPrefix, to: "company" }],
  aliases,
  own("id"),
  own("rev"),
  own("movedTo"),
]);

export const layoutOf = (kind: RecordKind): RecordLayout =>
  kind === "company" ? companyLayout : personLayout;

export const layouts: readonly RecordLayout[] = [companyLayout, personLayout];

/** Undefined if it is not the target of a record. */
export const layoutOfTarget = (target: string): RecordLayout | undefined =>
  layouts.find(({ kind }) => target.startsWith(`${kind}/`));
