/**
 * If this number changes, older files are built again: they hold only derived data, so there is no
 * migration.
 */
export const stateVersion = 1;
export const applicationId = 0x466f724c; // "ForL"

/** A company takes about 2.5 KB, so a page holds several and wastes little. */
export const pageBytes = 16_384;

/**
 * `target.gen`: which generation of its part a row belongs to. `part.gen` says which one counts; a
 * part is replaced by writing its rows with the next number, then changing the number.
 */
export const schema = `
  create table meta (name text primary key, json text not null) without rowid;
  create table part (part integer primary key, gen integer not null);
  create table target (
    id integer primary key,
    part integer not null,
    gen integer not null,
    target text not null,
    losers integer not null,
    text text not null
  );
  create unique index target_by_name on target (part, gen, target);
  create index target_with_losers on target (target) where losers = 1;
  create table file (
    name text primary key, bytes integer not null, mark text not null, changed text not null,
    last text not null
  ) without rowid;
  create table run (
    file text not null,
    start integer not null,
    end integer not null,
    key text not null,
    first integer not null,
    last integer not null,
    stamp text not null,
    primary key (file, start)
  ) without rowid;
`;
