import { throwIfAborted } from "../../base/serial.ts";
import { afterTick } from "../../base/tick.ts";
import { forgetRegister } from "../../ledger/index.ts";
import { removeForgottenCopies } from "../change/forget-record.ts";
import type { RecordsContext } from "../context.ts";
import { layoutOfTarget, recordFile } from "../files/layout.ts";
import { folderOf } from "../files/folders.ts";
import { foldersToLookAt } from "../files/inspect-folder.ts";
import type { RecordsProgressOptions } from "../records.ts";
import { companyWish } from "../fields/company.ts";
import type { FolderWinners } from "../search/initial-fill.ts";
import { personWish } from "../fields/person.ts";
import { isClean } from "../page/front-matter.ts";
import { isGone } from "../render/render.ts";
import { sideFile } from "../page/side-file.ts";

/** If more targets changed, their files are not synced one by one. */
const fewTargets = 50;

/**
 * Gathered changes are applied to the index at this number. Names arrive in any order, so a commit
 * writes most pages of every index: larger batches write fewer pages in total.
 */
const gatheredMax = 4_000;
/** The same for a fill, whose batches are applied while rendering continues. */
const filledMax = 12_000;

/** The number of records rendered before other work may run. */
const sliceSize = 200;

export interface CatchUpOptions extends RecordsProgressOptions {
  /** True: other work does not run in between, so nothing else is written meanwhile. */
  readonly isUnbroken?: boolean;
  /** See `RecordRenderOptions`. */
  readonly clean?: ReadonlyMap<string, string>;
}

/**
 * Renders everything that is new in the ledger since the position of the index. Only within `run`.
 * If the index is empty, a new one is filled and replaces it; other work waits for that, because it
 * cannot use a partial index.
 */
export async function catchUp(
  context: RecordsContext,
  options: CatchUpOptions = {},
): Promise<{ readonly records: number }> {
  const { onProgress = () => {}, isUnbroken = false, clean, signal } = options;
  const { ledger, tracker, index } = context;
  const since = tracker.position();
  const { position, batches: changed, steps } = await ledger.changedSince(since);
  const found = since ? undefined : await lookThrough(ledger, changed);
  const batches = found?.batches ?? changed;
  if (found) index.fill(found.wishes);
  let [records, step, hasForgotten] = [0, 0, false];
  const letOthersGo = async () => {
    if (since && !isUnbroken) {
      await context.conclude([], { isJoined: true });
      return context.pause({ signal });
    }
    // Connections and timers need the event loop, although other work on records has to wait.
    await new Promise<void>(afterTick);
    throwIfAborted(signal);
  };
  try {
    for await (const targets of batches) {
      step += 1;
      hasForgotten ||= targets.includes(forgetRegister);
      const isHasty = !since || targets.length > fewTargets;
      for (let at = 0; at < targets.length; at += sliceSize) {
        if (records + at > 0) await letOthersGo();
        const some = targets.slice(at, at + sliceSize);
        await context.renderMany(some, { isHasty, ...(clean && { clean }) });
      }
      records += targets.length;
      if (index.size() > (since ? gatheredMax : filledMax)) await context.conclude();
      if (targets.length > 0) {
        const total = found?.records ?? Math.round((records * steps) / step);
        onProgress({ step: "files", done: records, total });
      }
    }
    await context.conclude();
    await index.apply(tracker.reached(position));
    if (found) await index.commitFill();
  } finally {
    if (found) await index.endFill();
  }
  // Forgotten on another node: it must not stay readable in the journals and in the index.
  if (hasForgotten) {
    await ledger.scrub();
    await removeForgottenCopies(context);
    if (since) context.stored.scrub();
  }
  return { records };
}

/** The content of an empty index: each record once, without those that are gone. */
async function lookThrough(
  ledger: RecordsContext["ledger"],
  changed: AsyncIterable<readonly string[]>,
) {
  const batches: (readonly string[])[] = [];
  const seen = new Set<string>();
  const winners = new Map<string, string>();
  const contested = new Set<string>();
  for await (const targets of changed) {
    const some = targets.filter((target) => layoutOfTarget(target) && !seen.has(target));
    const views = (await ledger.readAll(some)).filter((view) => !isGone(view));
    for (const view of views) {
      const { target } = view;
      seen.add(target);
      const { kind } = layoutOfTarget(target)!;
      const wish = `${kind}/${kind === "company" ? companyWish(view) : personWish(view)}`;
      const rival = winners.get(wish);
      if (rival !== undefined) contested.add(wish);
      // Of all records that prefer a folder name, the one with the smallest id gets it.
      if (rival === undefined || target < rival) winners.set(wish, target);
    }
    batches.push(views.map(({ target }) => target));
  }
  const wishes: FolderWinners = { winners, contested };
  return { batches, wishes, records: seen.size };
}

/** Rebuilds index and files from the ledger; hand edits were ingested before. Only within `run`. */
export async function rebuildAll(context: RecordsContext, options: CatchUpOptions = {}) {
  context.tracker.restart(undefined);
  const { records } = await catchUp(context, options);
  removeOrphans(context);
  await context.conclude();
  return { records };
}

/** Removes folders that no longer belong to a record, if Forager created their content. */
function removeOrphans({ disk, index }: RecordsContext): void {
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
