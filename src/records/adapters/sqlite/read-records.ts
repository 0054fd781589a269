import type Database from "better-sqlite3";
import { getDomain } from "tldts";
import { normalDomain } from "../../fields/identity.ts";
import type { Indexed } from "../../search/record-index.ts";
import type { ContactUsage } from "../../search/record-search.ts";
import { joined, named, type IndexElementKind } from "./record-rows.ts";
import { indexedOf } from "./write-records.ts";

/** Lookups by key. */
export function recordReader(db: Database.Database) {
  const byTarget = db.prepare<[string], { kind: Indexed["kind"]; json: string }>(
    "select r.kind, b.json from record r join body b using (key) where r.target = ?",
  );
  /** A record's current folder comes before an alias; then the smaller target. */
  const bySlug = db
    .prepare<{ readonly kind: string; readonly slug: string; readonly named: string }, string>(
      `select target from (
         select 0 as rank, target from record indexed by record_by_slug
         where kind = @kind and slug = @slug
         union all
         select 1, r.target from element e join record r using (key)
         where e.kind = 'alias' and e.value = @named)
       order by rank, target limit 1`,
    )
    .pluck();
  const byElement = db
    .prepare<[IndexElementKind, string], string>(
      `select r.target from element e join record r using (key)
       where e.kind = ? and e.value = ? order by r.target`,
    )
    .pluck();
  const users = db.prepare<
    { readonly value: string; readonly first: IndexElementKind; readonly second: IndexElementKind },
    { target: string; kind: Indexed["kind"]; domain: string | null }
  >(
    `select distinct r.target, r.kind, r.domain from element e join record r using (key)
     where e.kind in (@first, @second) and e.value = @value order by r.target`,
  );
  const targets = db
    .prepare<{ after: string; end: string; limit: number }, string>(
      "select target from record where target > @after and target < @end order by target limit @limit",
    )
    .pluck();
  const all = (kind: IndexElementKind, value: string) => byElement.all(kind, value);

  const usage = (value: string, first: IndexElementKind, second = first): ContactUsage => {
    const found = users.all({ value, first, second });
    const companies = found.filter(({ kind }) => kind === "company");
    // Two hosts of one registrable domain belong together: shop.acme.com and acme.com.
    const sites = new Set(
      companies.flatMap(({ domain }) => (domain === null ? [] : [getDomain(domain) ?? domain])),
    );
    return {
      companies: companies.map(({ target }) => target),
      people: found.filter(({ kind }) => kind === "person").map(({ target }) => target),
      sites: sites.size,
    };
  };

  return {
    find(target: string): Indexed | undefined {
      const row = byTarget.get(target);
      return row && indexedOf(row.kind, row.json);
    },
    bySlug: (kind: Indexed["kind"], slug: string) =>
      bySlug.get({ kind, slug, named: named(kind, slug) }),
    wanting: (kind: Indexed["kind"], slug: string) => all("wanted", named(kind, slug)),
    byDomain: (domain: string) => all("domain", normalDomain(domain)),
    byPhone: (number: string) => all("phone", number),
    byPlace: (place: string) => all("place", place),
    byEmail: (address: string) => all("email", address.toLowerCase()),
    byPerson: (personId: string) => all("person", personId),
    byNameAndAddress: (key: { readonly name: string; readonly address: string }) =>
      all("nameAndAddress", joined(key)),
    // Targets of a kind share a prefix, so they are the range from `company/` to `company0`, the
    // next text.
    targets: ({
      kind,
      after = `${kind}/`,
      limit,
    }: {
      readonly kind: Indexed["kind"];
      readonly after?: string;
      readonly limit: number;
    }) => targets.all({ after, end: `${kind}0`, limit }),
    emailUsage: (address: string) => usage(address.toLowerCase(), "email"),
    domainUsage: (domain: string) => usage(normalDomain(domain), "domain", "emailDomain"),
  };
}
