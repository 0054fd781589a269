import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import {
  forgetRegister,
  suppressChanges,
  suppressionEntries,
  suppressionTargets,
  unsuppressChanges,
  type Commit,
  type Ledger,
} from "../../ledger/index.ts";
import type { Company, Contact } from "../fields/company.ts";
import { domainsOf, placesOf } from "../fields/places.ts";
import { textsIn } from "../fields/texts-in.ts";
import { kindOfKey, suppressionKinds, type SuppressionKey, type SuppressionKind } from "./keys.ts";
import { mentionedKeys, regionOf, withoutMentions } from "./mentions.ts";

/** Tells which keys are on a suppression list. */
export interface Suppression {
  /** The listed ones among these keys, by themselves or by a domain that includes them. */
  among(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** True: no key can be listed. */
  isEmpty(): Promise<boolean>;
}

/** A key is listed if one of the lists has it. */
export const joinSuppressions = (lists: readonly Suppression[]): Suppression => ({
  among: async (keys) =>
    new Set((await Promise.all(lists.map((list) => list.among(keys)))).flatMap((one) => [...one])),
  isEmpty: async () => (await Promise.all(lists.map((list) => list.isEmpty()))).every(Boolean),
});

/** The fleet's list, and the keys of forgotten records. */
export const ledgerSuppression = (ledger: Pick<Ledger, "suppressed" | "read">): Suppression => ({
  among: async (keys) => new Set(await ledger.suppressed([...new Set(keys)])),
  // Entries are salted hashes, so without a salt there is no entry.
  isEmpty: async () => (await ledger.read(forgetRegister)).fields.length === 0,
});

const nothing: ReadonlySet<string> = new Set();

/** The listed keys of these companies, including those mentioned in their texts. */
export async function listedKeysOf(
  suppressed: Suppression,
  companies: readonly Company[],
): Promise<ReadonlySet<string>> {
  if (await suppressed.isEmpty()) return nothing;
  return suppressed.among(companies.flatMap(suppressionKeysOf));
}

/** All keys of a company that can be on the list. */
export function suppressionKeysOf(company: Company): readonly SuppressionKey[] {
  return [
    ...domainsOf(company).map((domain) => `domain:${domain}` as const),
    ...placesOf(company).map((place) => `place:${place}` as const),
    ...company.emails.map(({ value }) => `email:${value}` as const),
    ...company.phones.map(({ value }) => `phone:${value}` as const),
    ...mentionsOf(company),
  ];
}

/** The addresses and numbers mentioned in its texts. */
export const mentionsOf = (company: Company): readonly SuppressionKey[] =>
  mentionedKeys(textsOf(company), regionOfCompany(company));

const regionOfCompany = ({ texts, phones }: Company): string | undefined =>
  regionOf(texts.country, phones.map(({ value }) => value)); // prettier-ignore

/** The parts that may mention an address or a number other than its own. */
const textsOf = ({
  name,
  texts,
  emails,
  phones,
  socials,
  extra,
  description,
  entries,
  tags,
  categories,
  services,
  products,
  keywords,
}: Company) => ({
  name,
  texts,
  labels: [...emails, ...phones].map(({ label }) => label),
  socials,
  extra,
  description,
  entries,
  lists: [tags, categories, services, products, keywords],
});

export interface UnlistedCompany {
  /** Undefined: its domain or one of its places is listed, so it is left out. */
  readonly company: Company | undefined;
  /** How many of its addresses and numbers were left out. */
  readonly emails: number;
  readonly phones: number;
}

/** A company without its listed addresses and numbers. */
export function withoutListed(company: Company, listed: ReadonlySet<string>): UnlistedCompany {
  if (listed.size === 0) return { company, emails: 0, phones: 0 };
  const isListed =
    domainsOf(company).some((domain) => listed.has(`domain:${domain}`)) ||
    placesOf(company).some((place) => listed.has(`place:${place}`));
  if (isListed) return { company: undefined, emails: 0, phones: 0 };
  const emails = company.emails.filter(({ value }) => !listed.has(`email:${value}`));
  const phones = company.phones.filter(({ value }) => !listed.has(`phone:${value}`));
  const gone = {
    emails: company.emails.length - emails.length,
    phones: company.phones.length - phones.length,
  };
  const country = regionOfCompany(company);
  const clean = <T>(value: T): T => withoutMentions(value, listed, country);
  return {
    company: {
      ...company,
      name: clean(company.name),
      texts: clean(company.texts),
      emails: emails.map(withCleanLabel),
      phones: phones.map(withCleanLabel),
      // A chat link does not work without its number, so it is removed.
      socials: Object.fromEntries(Object.entries(company.socials).filter(([, url]) => clean(url) === url)), // prettier-ignore
      tags: clean(company.tags),
      categories: clean(company.categories),
      services: clean(company.services),
      products: clean(company.products),
      keywords: clean(company.keywords),
      extra: clean(company.extra),
      entries: clean(company.entries),
      ...(company.description !== undefined && { description: clean(company.description) }),
    },
    ...gone,
  };

  function withCleanLabel(contact: Contact): Contact {
    return contact.label === undefined ? contact : { ...contact, label: clean(contact.label) };
  }
}

export interface SuppressionRow {
  /** The beginning of its hash: the value itself is not stored. */
  readonly id: string;
  readonly kind: SuppressionKind;
  /** When it was added, ISO 8601. */
  readonly at: string;
  /** Who added it: `hand:anna`. */
  readonly source: string;
  readonly reason?: string;
}

export interface SuppressionChange {
  readonly keys: readonly SuppressionKey[];
  readonly source: string;
}

const entriesOfCommit = 2_000;
/**
 * The number of keys per read of the list: the list is spread over many targets, any key may be in
 * any of them, and so each read reads all of it.
 */
const keysAtOnce = 20_000;
const saltLength = 26;
const shownHash = 16;
const isoLength = "2026-11-15T19:02:03.004Z".length;

/** Adds values that are not listed yet. Safe to repeat. Returns the number of new ones. */
export async function addSuppressed(
  ledger: SuppressionLedger,
  { keys, source, reason, random }: SuppressionChange & { reason?: string; random: Random },
): Promise<{ readonly added: number; readonly known: number }> {
  const wanted = [...new Set(keys)];
  let added = 0;
  for (let from = 0; from < wanted.length; from += keysAtOnce) {
    const some = wanted.slice(from, from + keysAtOnce);
    const register = await ledger.read(forgetRegister);
    const newSalt = createId(random, saltLength);
    // One write per kind: the value contains it. Listed keys keep their date and reason.
    for (const kind of suppressionKinds) {
      const ofKind = some.filter((key) => kindOfKey(key) === kind);
      if (ofKind.length === 0) continue;
      const value = { kind, ...(reason !== undefined && { reason }) };
      const changes = suppressChanges(register, { keys: ofKind, value, newSalt });
      const listed = await listedFields(ledger, changes);
      const left = changes.filter(({ target, field }) => !listed.has(`${target} ${field}`));
      added += left.filter(({ field }) => field.startsWith("hash/")).length;
      await writeInCommits(ledger, source, left);
    }
  }
  return { added, known: wanted.length - added };
}

/** Grouped by target: the ledger then reads each target once, and not once per entry. */
async function writeInCommits(
  ledger: SuppressionLedger,
  source: string,
  changes: Commit["changes"],
): Promise<void> {
  const sorted = changes.toSorted((a, b) => (a.target < b.target ? -1 : a.target > b.target ? 1 : 0)); // prettier-ignore
  for (let from = 0; from < sorted.length; from += entriesOfCommit) {
    await ledger.write({ source, changes: sorted.slice(from, from + entriesOfCommit) });
  }
}

async function listedFields(
  ledger: SuppressionLedger,
  changes: Commit["changes"],
): Promise<ReadonlySet<string>> {
  const targets = [...new Set(changes.map(({ target }) => target))];
  const views = await ledger.readAll(targets);
  return new Set(
    views.flatMap(({ target, fields }) => fields.map(({ field }) => `${target} ${field}`)),
  );
}

/** Returns how many were listed. */
export async function removeSuppressed(
  ledger: SuppressionLedger,
  { keys, source }: SuppressionChange,
): Promise<number> {
  const changes = unsuppressChanges(await ledger.read(forgetRegister), keys);
  const listed = await listedFields(ledger, changes);
  const left = changes.filter(({ target, field }) => listed.has(`${target} ${field}`));
  await writeInCommits(ledger, source, left);
  return left.length;
}

/** The whole list, in order of the hashes, without the keys of forgotten records. */
export async function* suppressionRows(
  ledger: Pick<SuppressionLedger, "readAll">,
): AsyncGenerator<SuppressionRow> {
  for (let from = 0; from < suppressionTargets.length; from += targetsAtOnce) {
    for (const view of await ledger.readAll(suppressionTargets.slice(from, from + targetsAtOnce))) {
      for (const { hash, value, source, stamp } of suppressionEntries(view)) {
        const { kind, reason } = textsIn(value, ["kind", "reason"]);
        yield {
          id: hash.slice(0, shownHash),
          kind: (kind ?? "email") as SuppressionKind,
          at: stamp.slice(0, isoLength),
          source,
          ...(reason !== undefined && { reason }),
        };
      }
    }
  }
}

export interface NewestSuppressedQuery {
  readonly limit: number;
  readonly kind?: SuppressionKind | undefined;
  /** The last row of the page before. */
  readonly after?: Pick<SuppressionRow, "at" | "id"> | undefined;
}

/** The newest rows of the list. Reads all of it, and keeps at most twice as many as are asked for. */
export async function newestSuppressed(
  ledger: Pick<SuppressionLedger, "readAll">,
  { limit, kind, after }: NewestSuppressedQuery,
): Promise<readonly SuppressionRow[]> {
  let kept: SuppressionRow[] = [];
  const newest = () => kept.sort(byAge).slice(0, limit);
  for await (const row of suppressionRows(ledger)) {
    if (kind !== undefined && row.kind !== kind) continue;
    if (after && byAge(row, after) <= 0) continue;
    kept.push(row);
    if (kept.length >= 2 * limit) kept = newest();
  }
  return newest();
}

type Aged = Pick<SuppressionRow, "at" | "id">;

/** Newest first. */
const byAge = (one: Aged, other: Aged): number =>
  other.at.localeCompare(one.at) || one.id.localeCompare(other.id);

export async function countSuppressed(ledger: Pick<SuppressionLedger, "readAll">): Promise<number> {
  let count = 0;
  for await (const _row of suppressionRows(ledger)) count += 1;
  return count;
}

/** The parts of a ledger that the list needs. */
export type SuppressionLedger = Pick<Ledger, "read" | "readAll" | "write" | "suppressed">;

const targetsAtOnce = 16;
