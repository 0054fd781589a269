import type { TargetView } from "../../ledger/index.ts";
import { isVisitRead, visitRecordOf } from "../../records/index.ts";

/** The state of a company before a batch of visits. */
export interface BatchLine {
  readonly target: string;
  readonly website: string;
  /** Contacts from any source: `email/…`, `phone/…`, `social/…`. */
  readonly known: readonly string[];
  /** Those of them that were found on its site. */
  readonly shown: readonly string[];
}

export interface Batch {
  readonly name: string;
  /** ISO 8601. Visits from this time on belong to the batch. */
  readonly at: string;
  readonly lines: readonly BatchLine[];
}

const isContact = (field: string) => /^(?:email|phone|social)\//.test(field);

const isEmail = (field: string) => field.startsWith("email/");

export function batchLine(view: TargetView, website: string): BatchLine {
  const contacts = view.fields.filter(({ field }) => isContact(field));
  return {
    target: view.target,
    website,
    known: contacts.map(({ field }) => field),
    shown: contacts.filter(({ source }) => source.startsWith("site:")).map(({ field }) => field),
  };
}

/** The result of a visit. `lost` contacts are no longer on the site; the record keeps them. */
export interface Evaluated {
  readonly target: string;
  readonly website: string;
  /** "waiting": not visited yet since the batch began. */
  readonly outcome: string;
  /** Why the site was not read. */
  readonly reason?: string;
  readonly found: readonly string[];
  readonly lost: readonly string[];
  /** True if it had no e-mail address when the batch began, and has one now. */
  readonly isRecovered?: boolean;
}

export function evaluate(
  { target, website, known, shown }: BatchLine,
  view: TargetView,
  at: string,
): Evaluated {
  const record = visitRecordOf(view);
  if (view.isForgotten) return { target, website, outcome: "forgotten", found: [], lost: [] };
  if (!record || record.at < at)
    return { target, website, outcome: "waiting", found: [], lost: [] };
  const before = new Set(known);
  const now = view.fields.map(({ field }) => field).filter(isContact);
  const seen = new Set(record.seen);
  // A contact is lost only if the whole site was read without finding it.
  const lost =
    record.outcome === "done" && isVisitRead(record)
      ? shown.filter((field) => !seen.has(field))
      : [];
  const found = now.filter((field) => !before.has(field));
  const { outcome, reason } = record;
  const isRecovered = !known.some(isEmail) && found.some(isEmail);
  return {
    target,
    website,
    outcome,
    ...(reason !== undefined && { reason }),
    found,
    lost,
    ...(isRecovered && { isRecovered }),
  };
}

export interface BatchSums {
  readonly companies: number;
  readonly waiting: number;
  /** Companies whose site was read: done or not_modified. */
  readonly read: number;
  /** Companies whose site could not be read: unreachable, blocked, robots, parked. */
  readonly unreachable: number;
  /** Companies with new contacts, with lost ones, and with both. */
  readonly found: number;
  readonly lost: number;
  readonly changed: number;
  /** Companies that had no e-mail address and have one now. */
  readonly recovered: number;
  readonly emailsFound: number;
  readonly emailsLost: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Sites that were not read, by reason: `dns`, `http_403`, `robots` … */
  readonly reasons: Readonly<Record<string, number>>;
}

export function sumUp(all: readonly Evaluated[]): BatchSums {
  const count = (isOne: (one: Evaluated) => boolean) => all.filter(isOne).length;
  const emails = (of: "found" | "lost") =>
    all.reduce((sum, one) => sum + one[of].filter(isEmail).length, 0);
  const outcomes: Record<string, number> = {};
  const reasons: Record<string, number> = {};
  for (const { outcome, reason } of all) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  const isOpen = ({ outcome }: Evaluated) => outcome === "waiting" || outcome === "forgotten";
  return {
    companies: all.length,
    waiting: outcomes["waiting"] ?? 0,
    read: count(isVisitRead),
    unreachable: count((one) => !isVisitRead(one) && !isOpen(one)),
    found: count(({ found }) => found.length > 0),
    lost: count(({ lost }) => lost.length > 0),
    changed: count(({ found, lost }) => found.length > 0 && lost.length > 0),
    recovered: count(({ isRecovered }) => isRecovered === true),
    emailsFound: emails("found"),
    emailsLost: emails("lost"),
    outcomes,
    reasons,
  };
}
