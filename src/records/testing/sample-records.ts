import type { Company } from "../fields/company.ts";
import type { Person } from "../fields/person.ts";
import type { Indexed } from "../search/record-index.ts";
import { slugOf } from "../files/slug.ts";

type CompanyParts = Partial<Omit<Company, "target">>;

/** A company with only the given fields: its id, and what a test is about. */
export function sampleCompany(id: string, parts: CompanyParts = {}): Company {
  const name = parts.name ?? parts.texts?.domain ?? id;
  const slug = parts.slug ?? slugOf(name, id);
  return {
    target: `company/${id}`,
    slug,
    slugWanted: slug,
    aliases: [],
    name,
    texts: {},
    numbers: {},
    emails: [],
    phones: [],
    socials: {},
    tags: [],
    categories: [],
    services: [],
    products: [],
    tech: [],
    keywords: [],
    people: [],
    entries: [],
    extra: {},
    changedAt: "2026-11-16T00:00:00.000Z-0000",
    ...parts,
  };
}

export function samplePerson(id: string, parts: Partial<Omit<Person, "target">> = {}): Person {
  const name = parts.name ?? id;
  const slug = parts.slug ?? slugOf(name, id);
  return {
    target: `person/${id}`,
    slug,
    slugWanted: slug,
    aliases: [],
    name,
    texts: {},
    emails: [],
    phones: [],
    socials: {},
    tags: [],
    companies: [],
    entries: [],
    extra: {},
    changedAt: "2026-11-16T00:00:00.000Z-0000",
    ...parts,
  };
}

export const company = (id: string, parts?: CompanyParts): Indexed => ({
  kind: "company",
  company: sampleCompany(id, parts),
});

export const person = (id: string, parts?: Parameters<typeof samplePerson>[1]): Indexed => ({
  kind: "person",
  person: samplePerson(id, parts),
});
