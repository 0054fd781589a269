import { forgetRegister } from "../ledger/index.ts";
import type { Desk } from "./desk.ts";
import { layoutOfTarget, recordFile } from "./layout.ts";
import { folderOf } from "./folders.ts";
import { foldersToLookAt } from "./ingest.ts";
import type { ProgressOptions } from "./records.ts";
import { companyWish } from "./company.ts";
import type { Wishes } from "./filling.ts";
import { personWish } from "./person.ts";
import { isClean } from "./front-matter.ts";
import { isGone } from "./render.ts";
import { sideFile } from "./side-file.ts";

/** More than these are not synced one by one. */
const fewTargets = 50;

/**
 * Records and marks that go into the index as one. A commit writes every page it has touched, and
 * names come in any order, so the more go into it the fewer pages are written again.
 */
const gatheredMax = 4_000;
/** While an index is filled they go there beside the rendering, which waits for the last of them. */
const filledMax = 12_000;

/** Rendered in one turn; then other processes have theirs. */
const sliceSize = 200;

export interface CatchUpOptions extends ProgressOptions {
  /** In one turn, however much is new: nothing is written by others when it has come to its end. */
  readonly isUnbroken?: boolean;
  /** Of files that need not be read: see `RenderOptions`. */
  readonly clean?: ReadonlyMap<string, string>;
}

/**
 * Renders all that is new in the ledger since the position that is kept. Only in turn. Who finds an
 * index that is empty fills it in one: others could not work with half of it.
 */
export async function catchUp(
  desk: Desk,
  options: CatchUpOptions = {},
): Promise<{ readonly records: number }> {
  const { onProgress = () => {}, isUnbroken = false, clean } = options;
  const { ledger, follower, index } = desk;
  const since = follower.position();
  const { position, batches: told, steps } = await ledger.changedSince(since);
  const found = since ? undefined : await lookThrough(ledger, told);
  const batches = found?.batches ?? told;
  if (found) index.fill(found.wishes);
  let [records, step, hasForgotten] = [0, 0, false];
  try {
    for await (const targets of batches) {
      step += 1;
      hasForgotten ||= targets.includes(forgetRegister);
      const isHasty = !since || targets.length > fewTargets;
      for (let at = 0; at < targets.length; at += sliceSize) {
        if (since && !isUnbroken && records + at > 0) {
          await desk.conclude();
          await desk.pause();
          // Someone began to make the index anew, and died.
          if (!follower.position()) return catchUp(desk, options);
        }
        await desk.renderMany(targets.slice(at, at + sliceSize), {
          isHasty,
          ...(clean && { clean }),
        });
      }
      records += targets.length;
      if (index.size() > (since ? gatheredMax : filledMax)) await desk.conclude();
      if (targets.length > 0) {
        const total = found?.records ?? Math.round((records * steps) / step);
        onProgress({ step: "files", done: records, total });
      }
    }
    await desk.conclude();
  } finally {
    if (found) await index.endFilling();
  }
  await index.apply(follower.reached(position));
  // Forgotten elsewhere: here too it is to be gone, and not merely unlisted.
  if (since && hasForgotten) desk.stored.scrub();
  return { records };
}

/** All that an empty index is filled with: each record once, and none that is gone. */
async function lookThrough(ledger: Desk["ledger"], told: AsyncIterable<readonly string[]>) {
  const batches: (readonly string[])[] = [];
  const seen = new Set<string>();
  const winners = new Map<string, string>();
  const contested = new Set<string>();
  for await (const targets of told) {
    const some = targets.filter((target) => layoutOfTarget(target) && !seen.has(target));
    const views = (await ledger.readAll(some)).filter((view) => !isGone(view));
    for (const view of views) {
      const { target } = view;
      seen.add(target);
      const { kind } = layoutOfTarget(target)!;
      const wish = `${kind}/${kind === "company" ? companyWish(view) : personWish(view)}`;
      const rival = winners.get(wish);
      if (rival !== undefined) contested.add(wish);
      // Of all that want a folder's name, the one with the smallest id has it.
      if (rival === undefined || target < rival) winners.set(wish, target);
    }
    batches.push(views.map(({ target }) => target));
  }
  const wishes: Wishes = { winners, contested };
  return { batches, wishes, records: seen.size };
}

/** Index and files from the ledger alone; what hands had changed was taken in before. In turn. */
export async function rebuildAll(desk: Desk, options: CatchUpOptions = {}) {
  const problems = desk.index.problems();
  desk.stored.clear();
  for (const problem of problems) desk.index.problem(problem.path, problem);
  desk.follower.restart();
  const { records } = await catchUp(desk, options);
  removeOrphans(desk);
  await desk.conclude();
  return { records };
}

/** Folders that are no record's any more, as far as they hold what we made. */
function removeOrphans({ disk, index }: Desk): void {
  for (const { layout, name } of foldersToLookAt(disk, undefined)) {
    if (index.bySlug(layout.kind, name) !== undefined) continue;
    const folder = folderOf(layout.kind, name);
    const bytes = disk.read(`${folder}/${recordFile}`);
    if (!bytes || !isClean(bytes)) continue;
    disk.remove(`${folder}/${recordFile}`);
    disk.remove(`${folder}/${sideFile}`);
    disk.removeFolder(folder);
    index.problem(`${folder}/${recordFile}`, undefined);
  }
}
