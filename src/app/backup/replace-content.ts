import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../base/app-error.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { sleep, systemClock } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readRegularFileSync } from "../../base/files/regular-file.ts";
import { syncFolder } from "../../base/files/synced-folder.ts";
import type { Paths } from "../../config/index.ts";
import { beforeRestoreFolder, isUntouched, restoringFolder, sharedFolder } from "./data-files.ts";

/**
 * Replaces the content of a data folder so that a crash at any moment leaves either the old or the new
 * content. The new content is prepared in `restoring/new/`. Writing `restoring/ready.json` is the commit:
 * before it the old content is valid, after it the new one. Only renames remain; any command that finds
 * this file finishes them:
 * - step `out`: every entry of the data folder goes to `restoring/old/`;
 * - step `in`: every entry of `restoring/new/` goes to the data folder;
 * - last, `restoring/old/` becomes `before-restore/ID/`.
 * The lock of the data folder is not moved, and is held during all steps.
 */
const readySchema = z.object({ id: z.string(), step: z.enum(["out", "in"]) });
type Ready = z.infer<typeof readySchema>;

const readyFile = (root: string) => join(root, restoringFolder, "ready.json");
export const preparedFolder = (root: string): string => join(root, restoringFolder, "new");
const oldFolder = (root: string) => join(root, restoringFolder, "old");

export const isRestoring = (root: string): boolean => existsSync(readyFile(root));

/** Removes the files of a restore that was interrupted before its commit. */
export function removePrepared(root: string): void {
  if (!isRestoring(root)) rmSync(join(root, restoringFolder), { recursive: true, force: true });
}

/**
 * Commits the prepared content and returns the folder of the old content. The caller must hold the
 * lock.
 */
export async function replaceContent(root: string, id: string): Promise<string> {
  await writeReady(root, { id, step: "out" });
  return finishReplacing(root);
}

async function writeReady(root: string, ready: Ready): Promise<void> {
  await writeFileAtomic(readyFile(root), `${JSON.stringify(ready)}\n`, { mode: 0o600 });
}

async function finishReplacing(root: string): Promise<string> {
  const { id, step } = readySchema.parse(JSON.parse(String(readRegularFileSync(readyFile(root)))));
  const old = oldFolder(root);
  if (step === "out") {
    moveAll(root, old);
    await writeReady(root, { id, step: "in" });
  }
  moveAll(preparedFolder(root), root, old);
  const kept = join(root, beforeRestoreFolder, id);
  if (existsSync(old)) {
    makeFolder(join(root, beforeRestoreFolder), { mode: 0o700 });
    renameSync(old, kept);
  }
  syncFolder(root);
  rmSync(join(root, restoringFolder), { recursive: true, force: true });
  return kept;
}

/**
 * Moves all entries of `from` to `to`. If `to` already has an entry of the same name, that entry is
 * first moved to `instead`.
 */
function moveAll(from: string, to: string, instead?: string): void {
  for (const folder of ["", sharedFolder]) {
    const [source, target] = [join(from, folder), join(to, folder)];
    if (!existsSync(source)) continue;
    for (const name of readdirSync(source)) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (isUntouched(path) || path === sharedFolder) continue;
      makeFolder(target, { mode: 0o700 });
      const place = join(target, name);
      if (instead !== undefined && lstatSync(place, { throwIfNoEntry: false })) {
        makeFolder(join(instead, folder), { mode: 0o700 });
        renameSync(place, freeName(join(instead, folder, name)));
      }
      renameSync(join(source, name), place);
    }
    if (existsSync(target)) syncFolder(target);
  }
}

function freeName(path: string): string {
  let free = path;
  for (let count = 2; lstatSync(free, { throwIfNoEntry: false }); count += 1) free = `${path}-${count}`; // prettier-ignore
  return free;
}

const waitMsMax = 30_000;
const retryMs = 50;

/** Called by every command: finishes a restore that was interrupted after its commit. */
export async function finishRestore(paths: Paths): Promise<void> {
  const root = paths.root();
  if (!isRestoring(root)) return;
  const { tryLockFile } = await import("../../node/adapters/folder/folder-lock.ts");
  const endMs = systemClock.monotonicMs() + waitMsMax;
  while (isRestoring(root)) {
    makeFolder(paths.resolve("node"), { mode: 0o700 });
    const lock = tryLockFile(paths.resolve("node/owner.db"));
    try {
      if (lock && isRestoring(root)) await finishReplacing(root);
    } finally {
      lock?.[Symbol.dispose]();
    }
    if (lock) return;
    if (systemClock.monotonicMs() > endMs) throw busy(root);
    await sleep(systemClock, retryMs);
  }
}

const busy = (root: string) =>
  new AppError("unavailable", "restore_under_way", `another process is restoring ${root}: wait until it ends`); // prettier-ignore
