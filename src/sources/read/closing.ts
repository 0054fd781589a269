/**
 * Whether a row says that its place is closed, in the forms of many programs and files. A place
 * that is closed for good is left out. One that is closed for a time (renovation, season) stays.
 */
import { plainName } from "./place-names.ts";
import type { Row } from "./row-shapes.ts";

export type Closing = "for good" | "temporarily";

/** Undefined: the row says nothing about it. */
export function closingOf(row: Row): Closing | undefined {
  let found: Closing | undefined;
  let [hasMain, hasLifecycle, isVacant] = [false, false, false];
  for (const key of Object.keys(row)) {
    const value = row[key];
    if (value === null || value === undefined || value === "") continue;
    const role = roleOf(key);
    if (role === undefined) continue;
    if (role === "main") {
      const isNone = value === "vacant" || value === "no";
      if (isNone) isVacant ||= value === "vacant" || key === "shop";
      else hasMain = true;
    } else if (role === "lifecycle") hasLifecycle = true;
    else {
      const closing = readers[role](value);
      if (closing === "for good") return closing;
      found ??= closing;
    }
  }
  // `disused:shop=bakery` beside `amenity=cafe`: another business is there now.
  return (hasLifecycle || isVacant) && !hasMain ? "for good" : found;
}

type Role = keyof typeof readers | "main" | "lifecycle";

const readers = {
  /** `operating_status` of Overture, `business_status` of maps, `status` of lists. */
  status(value: unknown): Closing | undefined {
    const words = wordsOf(value);
    if (/^(?:permanently closed|closed permanently|closed|out of business)$/.test(words)) {
      return "for good";
    }
    return /^(?:temporarily closed|closed temporarily)$/.test(words) ? "temporarily" : undefined;
  },
  /** `permanently_closed`, `is_closed`, `closed`: true, or a word for it. */
  closed: (value: unknown): Closing | undefined =>
    isYes(value) || /^permanent(?:ly)?$/.test(wordsOf(value))
      ? "for good"
      : readers.status(value) ?? (/^temporar(?:y|ily)$/.test(wordsOf(value)) ? "temporarily" : undefined), // prettier-ignore
  temporarily: (value: unknown): Closing | undefined => (isYes(value) ? "temporarily" : undefined),
  /** `date_closed` of Foursquare. */
  date: (value: unknown): Closing | undefined =>
    value instanceof Date || /\d/.test(String(value)) ? "for good" : undefined,
  /** `unresolved_flags` of Foursquare: a list, or a text. */
  flags(value: unknown): Closing | undefined {
    const flags = Array.isArray(value) ? value.map(String) : String(value).split(/[^a-z_]+/i);
    return flags.some((flag) => goneFlags.has(flag.toLowerCase())) ? "for good" : undefined;
  },
  /** `closed`, `off`, `Mo-Su off`. With a comment, which gives a reason, it is not for good. */
  hours(value: unknown): Closing | undefined {
    const found = /^\s*(?:(?:mo-su|24\/7)\s+)?(?:closed|off)\s*("[^"]*")?\s*$/i.exec(String(value));
    if (!found) return undefined;
    return found[1] === undefined ? "for good" : "temporarily";
  },
};

const goneFlags: ReadonlySet<string> = new Set(["closed", "doesnt_exist", "privatevenue"]);
const isYes = (value: unknown): boolean => value === true || /^(?:true|yes|y|t|1)$/.test(wordsOf(value)); // prettier-ignore
const wordsOf = (value: unknown): string =>
  String(value).toLowerCase().replaceAll(/[\s_-]+/g, " ").trim(); // prettier-ignore

/** A map, because a key of a file may be called `constructor`. */
const roleByName: ReadonlyMap<string, Role> = new Map(
  Object.entries({
    status: "status",
    operatingstatus: "status",
    operationalstatus: "status",
    businessstatus: "status",
    placestatus: "status",
    openstatus: "status",
    closed: "closed",
    isclosed: "closed",
    permanentlyclosed: "closed",
    ispermanentlyclosed: "closed",
    closedpermanently: "closed",
    temporarilyclosed: "temporarily",
    istemporarilyclosed: "temporarily",
    closedtemporarily: "temporarily",
    dateclosed: "date",
    closeddate: "date",
    unresolvedflags: "flags",
    openinghours: "hours",
    disused: "closed",
    abandoned: "closed",
    demolished: "closed",
    razed: "closed",
  } satisfies Record<string, Role>),
);
/** Keys of OpenStreetMap that say what a place is. */
const mainKey = /^(?:shop|craft|office|amenity|healthcare|tourism|leisure|club|education)$/;
/**
 * Keys that say what it was before it closed: `disused:shop=bakery`. An old name alone does not
 * count.
 */
const lifecycleKey =
  /^(?:disused|was|abandoned|closed|demolished|razed):(?!.*(?:name|website|phone))/;

/** Cached: files have few keys, and each of them in every row. */
const roles = new Map<string, Role | undefined>();
const rolesMax = 10_000;

function roleOf(key: string): Role | undefined {
  if (roles.has(key)) return roles.get(key);
  const role = mainKey.test(key)
    ? "main"
    : lifecycleKey.test(key)
      ? "lifecycle"
      : roleByName.get(plainName(key));
  if (roles.size < rolesMax) roles.set(key, role);
  return role;
}
