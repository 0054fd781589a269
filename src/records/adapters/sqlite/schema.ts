/** If this number changes, existing files are filled again: the index is not worth a migration. */
export const indexVersion = 5;
export const applicationId = 0x466f7249; // "ForI"

/**
 * `record.seat` is the rank of a record by its name (./name-rank.ts), and the row id in `search`.
 * SQLite's full text search walks row ids in order, so the first page of a million matches, sorted
 * by name, costs as much as that page alone.
 * - `body` is separate from `record`, so that a walk over records does not read descriptions.
 * - `element` contains the lookup keys of records: addresses, domains, aliases. The keys of one
 * record
 *   follow from its body, so there is no index by record.
 * - `search` has no content and no positions, only a mapping from terms (../../search-words.ts) to
 * ranks.
 *   Prefixes of up to eight letters have lists of their own. A longer prefix has to be merged from the lists
 *   of all words that begin with it before the first match is known, which costs as much as there are matches.
 */
export const schema = `
  create table meta (name text primary key, value text not null) without rowid;
  create table record (
    key integer primary key,
    target text not null unique,
    kind text not null,
    slug text not null,
    sort text not null,
    seat integer unique,
    changed text not null,
    rating real not null,
    reviews integer not null,
    callback text not null,
    domain text
  );
  create index record_by_slug on record (kind, slug, target);
  create index record_by_sort on record (sort, target, seat);
  create index record_by_changed on record (kind, changed desc, target);
  create index record_by_rating on record (kind, rating desc, target);
  create index record_by_reviews on record (kind, reviews desc, target);
  create index record_by_callback on record (kind, callback, target);
  create table body (key integer primary key, json text not null);
  create table element (
    kind text not null,
    value text not null,
    key integer not null,
    primary key (kind, value, key)
  ) without rowid;
  create virtual table search using fts5 (
    terms, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none',
    prefix = '1 2 3 4 5 6 7 8'
  );
  create table render (target text primary key, folder text not null, rev text not null) without rowid;
  create table problem (
    path text primary key, target text, reason text not null, found_at text not null
  ) without rowid;
`;
