import type { TargetView } from "../../ledger/index.ts";
import {
  changedAtOf,
  contactsOf,
  elementsOf,
  emailsOf,
  extraOf,
  groupFields,
  idOf,
  membersOf,
  socialsOf,
  textOf,
  type Contact,
  type Member,
} from "./company.ts";
import { entriesOf, isCallbackOver, type RecordEntry } from "./entry.ts";
import {
  aliasPrefix,
  companyPrefix,
  extraPrefix,
  listPrefixes,
  personPrefix,
  socialPrefix,
} from "./fields.ts";
import { slugOf } from "../files/slug.ts";

/** The text fields of a person. */
export const personTextFields = [
  "role",
  "address",
  "street",
  "city",
  "zip",
  "state",
  "country",
  "timezone",
  "callback",
] as const;
export type PersonTextField = (typeof personTextFields)[number];

export interface Person {
  /** `person/<id>`: never changes. */
  readonly target: string;
  readonly slug: string;
  readonly slugWanted: string;
  readonly aliases: readonly string[];
  /** Never "": if unknown, the first address, otherwise the id. */
  readonly name: string;
  readonly texts: { readonly [field in PersonTextField]?: string };
  readonly emails: readonly Contact[];
  readonly phones: readonly Contact[];
  readonly socials: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  /** Companies, by id: the other side of a company's people. */
  readonly companies: readonly Member[];
  readonly entries: readonly RecordEntry[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly description?: string;
  readonly changedAt: string;
}

export function personOf(view: TargetView, slug?: string): Person {
  const fields = new Map(view.fields.map((one) => [one.field, one]));
  const text = (field: string) => textOf(fields.get(field));
  const id = idOf(view.target);
  const of = groupFields(view.fields);
  const emails = emailsOf(of);
  const name = text("name") ?? emails[0]?.value ?? id;
  const slugWanted = slugOf(text("slug") ?? name, id);
  const description = text("description");
  const entries = entriesOf(view.fields);
  return {
    target: view.target,
    slug: slug ?? slugWanted,
    slugWanted,
    aliases: elementsOf(of(aliasPrefix), aliasPrefix),
    name,
    texts: Object.fromEntries(
      personTextFields.flatMap((field) => {
        const value = text(field);
        const isOver = field === "callback" && isCallbackOver(value ?? "", entries);
        return value === undefined || isOver ? [] : [[field, value]];
      }),
    ),
    emails,
    phones: contactsOf(of(listPrefixes.phones), listPrefixes.phones),
    socials: socialsOf(of(socialPrefix)),
    tags: elementsOf(of(listPrefixes.tags), listPrefixes.tags),
    companies: membersOf(of(companyPrefix), companyPrefix),
    entries,
    extra: extraOf(of(extraPrefix)),
    ...(description !== undefined && { description }),
    changedAt: changedAtOf(view),
  };
}

/** The preferred folder. Builds the whole record, because people are few. */
export const personWish = (view: TargetView): string => personOf(view).slugWanted;

export const personTarget = (id: string): string => `${personPrefix}${id}`;
