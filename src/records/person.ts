import type { TargetView } from "../ledger/index.ts";
import {
  changedAtOf,
  contactsOf,
  elementsOf,
  extraOf,
  idOf,
  membersOf,
  socialsOf,
  textOf,
  type Contact,
  type Member,
} from "./company.ts";
import { entriesOf, type Entry } from "./entry.ts";
import { aliasPrefix, companyPrefix, listPrefixes, personPrefix } from "./fields.ts";
import { slugOf } from "./slug.ts";

/** Of these, a person's record has its own. */
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
  /** Never "": where it is not known, the first address, then the id. */
  readonly name: string;
  readonly texts: { readonly [field in PersonTextField]?: string };
  readonly emails: readonly Contact[];
  readonly phones: readonly Contact[];
  readonly socials: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  /** Companies, by id: the other side of a company's people. */
  readonly companies: readonly Member[];
  readonly entries: readonly Entry[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly description?: string;
  readonly changedAt: string;
}

export function personOf(view: TargetView, slug?: string): Person {
  const fields = new Map(view.fields.map((one) => [one.field, one]));
  const text = (field: string) => textOf(fields.get(field));
  const id = idOf(view.target);
  const emails = contactsOf(view.fields, listPrefixes.emails);
  const name = text("name") ?? emails[0]?.value ?? id;
  const slugWanted = slugOf(text("slug") ?? name, id);
  const description = text("description");
  return {
    target: view.target,
    slug: slug ?? slugWanted,
    slugWanted,
    aliases: elementsOf(view.fields, aliasPrefix),
    name,
    texts: Object.fromEntries(
      personTextFields.flatMap((field) => {
        const value = text(field);
        return value === undefined ? [] : [[field, value]];
      }),
    ),
    emails,
    phones: contactsOf(view.fields, listPrefixes.phones),
    socials: socialsOf(view.fields),
    tags: elementsOf(view.fields, listPrefixes.tags),
    companies: membersOf(view.fields, companyPrefix),
    entries: entriesOf(view.fields),
    extra: extraOf(view.fields),
    ...(description !== undefined && { description }),
    changedAt: changedAtOf(view),
  };
}

export const personTarget = (id: string): string => `${personPrefix}${id}`;
