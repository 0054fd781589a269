import { AppError } from "../../base/app-error.ts";
import { countOf } from "../../base/text/count-words.ts";
import type { Core } from "../core.ts";
import { lastKnown, type Vector } from "../fold/vector.ts";
import type { NodeFile } from "../node-file.ts";

/**
 * The part of its own history that a node lacks, because a journal file or its checkpoint was lost.
 * While something is missing, nothing is written, because a write depends on what was known. Three
 * marks in the node's file show a loss, and none needs a write for each append:
 * - how far each session was published: a journal that ends before that has lost something;
 * - how many own datagrams there were when the ledger was last opened or closed;
 * - the number of the checkpoint that it used.
 */
export interface MissingHistory {
  /** Own datagrams that are missing here. */
  readonly datagrams: number;
  /** Own datagrams that are here but do not count, because earlier ones are missing. */
  readonly stranded: number;
  /** The number of the missing checkpoint; undefined: it is not missing. */
  readonly checkpoint: number | undefined;
}

/** Undefined: nothing is missing. */
export function missingHistory(core: Core): MissingHistory | undefined {
  const identity = core.identity();
  const { checkpoint = 0, givenUp = {}, ownDatagrams = 0 } = identity;
  const vector = core.replica().vector();
  let published = 0;
  for (const [key, number] of publishedAndLost(core)) {
    published += Math.max(0, number - Math.max(lastKnown(vector, key), givenUp[key] ?? 0));
  }
  const stranded = core.strandedOwn().length;
  const missing: MissingHistory = {
    datagrams: Math.max(published, ownDatagrams - countOwn(core), stranded > 0 ? 1 : 0, 0),
    stranded,
    checkpoint: checkpoint > core.replica().base.number ? checkpoint : undefined,
  };
  return missing.datagrams > 0 || missing.checkpoint !== undefined ? missing : undefined;
}

/** How many own datagrams this disk holds beyond its checkpoint. */
export function countOwn(core: Core): number {
  const { node } = core.identity();
  const covered = core.replica().base.vector;
  let count = 0;
  for (const [key, number] of core.replica().vector()) {
    if (key.startsWith(`${node}/`)) count += Math.max(0, number - lastKnown(covered, key));
  }
  return count + core.strandedOwn().length;
}

/**
 * Sessions of this node that its journal no longer holds as far as they were published, because one
 * of its files was lost. Counts only what this disk has published itself: the head may say more if
 * another disk has the same id.
 */
export function publishedAndLost(core: Core): ReadonlyMap<string, number> {
  const { node, published } = core.identity();
  const vector = core.replica().vector();
  return new Map(
    Object.entries(published).filter(
      ([key, number]) => key.startsWith(`${node}/`) && lastKnown(vector, key) < number,
    ),
  );
}

/** The marks of a complete history. */
export const marksOf = (core: Core): Pick<NodeFile, "ownDatagrams" | "checkpoint"> => ({
  ownDatagrams: countOwn(core),
  checkpoint: core.replica().base.number,
});

/** After a crash the file may say less than there is. */
export async function saveMarks(core: Core): Promise<void> {
  const { ownDatagrams = 0, checkpoint = 0 } = core.identity();
  const marks = marksOf(core);
  if (marks.ownDatagrams === ownDatagrams && marks.checkpoint === checkpoint) return;
  await core.saveIdentity(marks);
}

/** How many own datagrams should be beyond the next checkpoint, according to the node's file. */
export function expectedBeyond(core: Core, next: Vector): number {
  const { node, ownDatagrams = 0 } = core.identity();
  const covered = core.replica().base.vector;
  let folded = 0;
  for (const [key, number] of next) {
    if (key.startsWith(`${node}/`)) folded += Math.max(0, number - lastKnown(covered, key));
  }
  return Math.max(0, ownDatagrams - folded);
}

/** A person gives up what is missing: from now on it does not count as missing. */
export function giveUp(core: Core): Partial<NodeFile> {
  return {
    ...marksOf(core),
    givenUp: { ...core.identity().givenUp, ...Object.fromEntries(publishedAndLost(core)) },
  };
}

/** A message for people: what is missing, and how to restore it. */
export function describeMissing({ datagrams, checkpoint }: MissingHistory): string {
  const what = [
    ...(checkpoint === undefined ? [] : [`checkpoint ${checkpoint}`]),
    ...(datagrams > 0 ? [`${countOf(datagrams, "datagram")} of its own journal`] : []),
  ];
  return (
    `this node has lost ${what.join(" and ")}. Run \`forager ledger sync\`: it fetches them from the ` +
    `bucket. Without a bucket: restore wal/ and ledger/ of the data folder from a backup, or continue ` +
    `without them with \`forager ledger verify --accept-loss\``
  );
}

/** `what`: the operation that was refused because of it. */
export const historyMissing = (missing: MissingHistory, what: string): AppError =>
  new AppError("unavailable", "ledger_history_missing", `${what}: ${describeMissing(missing)}`);
