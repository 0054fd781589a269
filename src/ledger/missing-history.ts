import { AppError } from "../base/app-error.ts";
import { countOf } from "../base/count-words.ts";
import type { Core } from "./core.ts";
import { lastKnown, type Vector } from "./fold/vector.ts";
import type { NodeFile } from "./node-file.ts";

/**
 * What a node lacks of its own history, because a file of its journal or its checkpoint was lost. While
 * something is missing, nothing new is written: it would not know what was there. Counted by three
 * marks in the node's file, none of which needs a write for each append:
 * - how far each session was published: a journal that ends before that has lost something;
 * - how many own datagrams there were when the ledger was last opened or closed;
 * - the number of the checkpoint that it stood on.
 */
export interface MissingHistory {
  /** Own datagrams that are missing here. */
  readonly datagrams: number;
  /** Own datagrams that are here, behind missing ones, and do not count. */
  readonly stranded: number;
  /** The checkpoint that is missing; undefined: none is. */
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

/** How many datagrams of its own this disk holds beyond its checkpoint. */
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
 * Sessions of this node that its journal no longer holds as far as they were published, because a
 * file of it was lost. Only what this disk has published itself: what the head says beyond that may
 * be the word of another disk with the same id.
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

/** What the node's file says of a history that is whole. */
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

/** How many own datagrams should be beyond the next checkpoint, by what the file says now. */
export function expectedBeyond(core: Core, next: Vector): number {
  const { node, ownDatagrams = 0 } = core.identity();
  const covered = core.replica().base.vector;
  let folded = 0;
  for (const [key, number] of next) {
    if (key.startsWith(`${node}/`)) folded += Math.max(0, number - lastKnown(covered, key));
  }
  return Math.max(0, ownDatagrams - folded);
}

/** A person goes on without what is missing: from now on it is not missed any more. */
export function giveUp(core: Core): Partial<NodeFile> {
  return {
    ...marksOf(core),
    givenUp: { ...core.identity().givenUp, ...Object.fromEntries(publishedAndLost(core)) },
  };
}

/** For people: what is missing, and how it comes back. */
export function describeMissing({ datagrams, checkpoint }: MissingHistory): string {
  const what = [
    ...(checkpoint === undefined ? [] : [`checkpoint ${checkpoint}`]),
    ...(datagrams > 0 ? [`${countOf(datagrams, "datagram")} of its own journal`] : []),
  ];
  return (
    `this node has lost ${what.join(" and ")}. Run \`forager ledger sync\`: it fetches them from the ` +
    `bucket. Without a bucket: restore wal/ and ledger/ of the data folder from a backup, or go on ` +
    `without them with \`forager ledger verify --accept-loss\``
  );
}

/** `what`: what was not done because of it. */
export const historyMissing = (missing: MissingHistory, what: string): AppError =>
  new AppError("unavailable", "ledger_history_missing", `${what}: ${describeMissing(missing)}`);
