import { AppError } from "../../base/app-error.ts";
import {
  compareDatagrams,
  referenceOf,
  type Change,
  type Datagram,
  type Ledger,
} from "../../ledger/index.ts";
import { distinctPrefix } from "../fields/places.ts";
import { retentionSource } from "./record-history.ts";
import { unmergeCommit } from "./unmerge.ts";

/**
 * Manual changes, reconstructed from the ledger: a command is one commit, and a bulk change is a
 * series of commits with the same content, one immediately after the other.
 */
export interface ManualChange {
  /** The stamp of its last commit. */
  readonly id: string;
  /** ISO moment. */
  readonly at: string;
  readonly source: string;
  readonly targets: readonly string[];
  readonly fields: readonly string[];
  readonly datagrams: readonly Datagram[];
}

export type UndoLedger = Pick<Ledger, "read" | "readAll" | "writtenOf" | "writtenAfter">;

const handPrefix = "hand:";
/** The commits of one bulk change are no further apart than this. */
const gapMaxMs = 5_000;

/** Manual changes on this node since a time, newest first. */
export async function manualChanges(
  ledger: Pick<UndoLedger, "writtenAfter">,
  { sinceMs }: { readonly sinceMs: number },
): Promise<readonly ManualChange[]> {
  const since = new Date(sinceMs).toISOString();
  const written = (await ledger.writtenAfter(since, handPrefix))
    .filter(({ source }) => source !== retentionSource) // what is too old must not come back
    .toSorted(compareDatagrams);
  const groups: Datagram[][] = [];
  for (const commit of commitsOf(written)) {
    const last = groups.at(-1);
    if (last && isSameChange(last, commit)) last.push(...commit);
    else groups.push([...commit]);
  }
  return groups.reverse().map((datagrams) => {
    const { stamp, source } = datagrams.at(-1)!;
    return {
      id: stamp,
      at: stamp.slice(0, isoLength),
      source,
      targets: [...new Set(datagrams.map(({ target }) => target))],
      fields: [...new Set(datagrams.map(({ field }) => field))],
      datagrams,
    };
  });
}

function commitsOf(datagrams: readonly Datagram[]): readonly (readonly Datagram[])[] {
  const commits = new Map<string, Datagram[]>();
  for (const one of datagrams) {
    const key = `${one.session}/${one.commit}`;
    const commit = commits.get(key);
    if (commit) commit.push(one);
    else commits.set(key, [one]);
  }
  return [...commits.values()];
}

const contentOf = (datagrams: readonly Datagram[]): string =>
  JSON.stringify(
    [...new Set(datagrams.map(({ field, value = "" }) => `${field}\t${value}`))].toSorted(),
  );

function isSameChange(before: readonly Datagram[], next: readonly Datagram[]): boolean {
  const [last, first] = [before.at(-1)!, next[0]!];
  const gapMs = timeOf(first) - timeOf(last);
  const targets = new Set(before.map(({ target }) => target));
  return (
    gapMs <= gapMaxMs &&
    first.source === last.source &&
    next.every(({ target }) => !targets.has(target)) &&
    contentOf(before) === contentOf(next)
  );
}

export interface UndoPlan {
  readonly changes: readonly Change[];
  /** Fields that were changed since; they are not undone. */
  readonly changedSince: readonly { readonly target: string; readonly field: string }[];
}

/**
 * The changes that undo a manual change. Throws `invalid` if this node does not have the previous
 * values any more.
 */
export async function planUndo(ledger: UndoLedger, change: ManualChange): Promise<UndoPlan> {
  const merge = change.datagrams.find(({ field }) => field === "mergedInto");
  if (merge?.value !== undefined) return planUnmerge(ledger, merge, change.source);
  const known = new Map((await ledger.writtenOf(change.targets)).map((one) => [referenceOf(one), one])); // prettier-ignore
  const views = await ledger.readAll(change.targets);
  const now = new Map(views.map((view) => [view.target, view]));
  const last = new Map(change.datagrams.map((one) => [`${one.target}\n${one.field}`, one]));
  const first = new Map(
    change.datagrams.toReversed().map((one) => [`${one.target}\n${one.field}`, one]),
  );
  const changes: Change[] = [];
  const changedSince: { target: string; field: string }[] = [];
  for (const [key, { target, field, value, node, session, number }] of last) {
    const shown = now.get(target)?.fields.find((one) => one.field === field);
    const isAsWritten =
      value === undefined ? shown === undefined : shown?.dot === `${node}/${session}/${number}`;
    if (!isAsWritten) {
      changedSince.push({ target, field });
      continue;
    }
    const before = valueBefore(known, first.get(key)!);
    if (before !== undefined) changes.push({ target, field, value: before });
    else if (value !== undefined) changes.push({ target, field, unset: true });
  }
  return { changes, changedSince };
}

/** Undefined if there was no value. */
function valueBefore(known: ReadonlyMap<string, Datagram>, { field, causality }: Datagram) {
  if (causality === "") return undefined;
  const before = known.get(causality);
  if (!before) {
    const words = `what ${field} was before is not on this node any more`;
    const message = `${words}: \`forager company restore NAME --at MOMENT --yes\` also looks in the bucket's archive`;
    throw new AppError("invalid", "records_history_short", message);
  }
  return before.value === undefined ? undefined : (JSON.parse(before.value) as unknown);
}

async function planUnmerge(
  ledger: UndoLedger,
  { target, value }: Datagram,
  source: string,
): Promise<UndoPlan> {
  const [from, into] = [await ledger.read(target), await ledger.read(JSON.parse(value!) as string)];
  const { changes } = unmergeCommit(from, into, source);
  // Undoing a merge does not mark the companies as distinct: they may still be the same.
  const kept = changes.filter(({ field }) => !field.startsWith(distinctPrefix));
  return { changes: kept, changedSince: [] };
}

const isoLength = "2026-11-15T19:02:03.004Z".length;
const timeOf = ({ stamp }: Datagram) => Date.parse(stamp.slice(0, isoLength));
