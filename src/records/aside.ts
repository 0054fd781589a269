import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { hashOf, isClean } from "./front-matter.ts";
import { recordFile } from "./layout.ts";
import type { RecordDisk } from "./record-disk.ts";
import { besides, sideFile } from "./side-file.ts";

/**
 * Files that had to make way for a render. An editor may have a file open, and write to it after
 * it was taken away: so what was taken is looked at again before it goes.
 * - `records/aside/`: taken, and not yet looked at; after a crash they are what is left to do;
 * - `records/kept/`: hand edits that were taken in, kept for a day.
 * A record's file has its side file with it, as it was then: when a copy is looked at again, more
 * renders may have come since than the newest side file tells of.
 */
export interface Aside {
  /** Takes a file away; undefined where there was none. */
  take(name: string): Taken | undefined;
  /** Where it was; if another is there by now, it stays here and is looked at like any other. */
  putBack(taken: Taken): void;
  /** Its edit was taken in: kept for a day. */
  keep(taken: Taken): void;
  /** It was a render as we wrote it: looked at once more, a little later. */
  letGo(taken: Taken): void;
  /**
   * Calls `takeIn` for what was written to since it was taken, and for what a crash left; removes
   * what is done with, and was not taken just now.
   */
  settle(takeIn: TakeIn): Promise<void>;
  /**
   * The same for what this process took, and only if it is time: whoever saves one record after
   * the other must not read all of the last ones each time. Now and then for all of it.
   */
  settleOwn(takeIn: TakeIn): Promise<void>;
  /** Removes every copy that `isOf` says is of a record. Answers how many. */
  forget(isOf: (copy: Taken) => boolean): number;
  count(isOf: (copy: Taken) => boolean): number;
}

/** What became of a copy: its edit is in the ledger, it has none, or it cannot be understood. */
export type TakeIn = (taken: Taken) => Promise<"taken" | "nothing" | "broken">;

export interface Taken {
  /** Where it was: `companies/acme/_index.md`. */
  readonly from: string;
  /** Where it is; its side file, if there was one, is beside it under `sideOf` that name. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const keptForMs = 24 * 3_600_000;
const asideFolder = "records/aside";
const keptFolder = "records/kept";
/** Time for an editor to finish what it is writing. */
const restMs = 2_000;
/** So long nobody looks through all that lies here, unless asked. */
const lookThroughMs = 60_000;
/** Of the place in a name. Above that of any record, so that only names of notes are cut. */
const placeBytesMax = 150;
const recordEnd = `~${recordFile}`;
const sideEnd = `~${sideFile}`;

export interface AsideOptions {
  readonly disk: RecordDisk;
  readonly clock: Clock;
  readonly random: Random;
}

export function createAside({ disk, clock, random }: AsideOptions): Aside {
  /** Taken by us and clean then, by when. */
  const resting = new Map<string, number>();
  let lookedThroughAtMs = -Infinity;

  const copyAt = (name: string): Taken | undefined => {
    const from = name.endsWith(sideEnd) ? undefined : placeIn(name);
    const bytes = from === undefined ? undefined : disk.read(name);
    return from === undefined || !bytes ? undefined : { from, name, bytes };
  };
  const copies = (folder: string): readonly Taken[] =>
    disk.list(folder).flatMap((file) => copyAt(`${folder}/${file}`) ?? []);
  const all = () => [...copies(asideFolder), ...copies(keptFolder)];

  const keep = (taken: Taken) => {
    resting.delete(taken.name);
    const [takenAt = "", id = "", ...rest] = taken.name.slice(asideFolder.length + 1).split("-");
    const file = `${takenAt}-${hashOf(taken.bytes)}-${id}-${rest.join("-")}`;
    disk.move(taken.name, `${keptFolder}/${file}`);
    if (hasSide(taken)) disk.move(sideOf(taken.name), sideOf(`${keptFolder}/${file}`));
  };
  const remove = (copy: Taken) => {
    resting.delete(copy.name);
    disk.remove(copy.name);
    if (hasSide(copy)) disk.remove(sideOf(copy.name));
  };
  /** Side files whose copy is gone: a crash came between the two. */
  const removeOrphans = () => {
    for (const folder of [asideFolder, keptFolder]) {
      const files = new Set(disk.list(folder));
      for (const file of files) {
        const copy = `${file.slice(0, -sideEnd.length)}${recordEnd}`;
        if (file.endsWith(sideEnd) && !files.has(copy)) disk.remove(`${folder}/${file}`);
      }
    }
  };
  /** An editor may be about to write to it. */
  const isFresh = ({ name }: Taken): boolean => {
    const ageMs = clock.nowMs() - parseInt(name.slice(asideFolder.length + 1), 36);
    return ageMs >= 0 && ageMs < restMs;
  };
  const settleKept = async (takeIn: TakeIn) => {
    for (const copy of copies(keptFolder)) {
      const [takenAt = "", hash] = copy.name.slice(keptFolder.length + 1).split("-");
      if (clock.nowMs() - parseInt(takenAt, 36) < keptForMs) continue;
      // An editor that kept it open may have written to it since.
      const outcome = hashOf(copy.bytes) === hash ? "nothing" : await takeIn(copy);
      if (outcome !== "broken") remove(copy);
    }
  };

  const lookAgain = async (copy: Taken, takeIn: TakeIn) => {
    const outcome = isClean(copy.bytes) ? "nothing" : await takeIn(copy);
    if (outcome === "taken") keep(copy);
    if (outcome !== "nothing") return void resting.delete(copy.name);
    // Whoever took it: that process, or this one, or whoever is next, looks at it again.
    if (!isFresh(copy)) remove(copy);
    else if (!resting.has(copy.name)) resting.set(copy.name, clock.monotonicMs());
  };
  const settle = async (takeIn: TakeIn) => {
    lookedThroughAtMs = clock.monotonicMs();
    const found = copies(asideFolder);
    // Another process may have settled some of ours.
    const names = new Set(found.map(({ name }) => name));
    for (const name of resting.keys()) if (!names.has(name)) resting.delete(name);
    for (const copy of found) await lookAgain(copy, takeIn);
    await settleKept(takeIn);
    removeOrphans();
  };

  return {
    take(from) {
      const place = Buffer.from(from.split("/").join("~")).subarray(0, placeBytesMax).toString();
      const name = `${asideFolder}/${clock.nowMs().toString(36)}-${createId(random, 8)}-${place}`;
      const copy = { from, name, bytes: new Uint8Array() };
      // First, so that no copy is ever without; it is replaced by others, and never written to.
      if (hasSide(copy)) disk.share(besides(from), sideOf(name));
      const bytes = disk.move(from, name) && disk.read(name);
      if (bytes) return { ...copy, bytes };
      remove(copy);
      return undefined;
    },
    keep,
    putBack(taken) {
      if (disk.putBack(taken.name, taken.from) === "placed") remove(taken);
    },
    letGo: ({ name }) => void resting.set(name, clock.monotonicMs()),
    settle,
    async settleOwn(takeIn) {
      const nowMs = clock.monotonicMs();
      const due = [...resting].filter(([, atMs]) => nowMs - atMs >= restMs);
      if (due.length === 0) return;
      if (nowMs - lookedThroughAtMs >= lookThroughMs) return settle(takeIn);
      for (const [name] of due) {
        const copy = copyAt(name);
        if (copy) await lookAgain(copy, takeIn);
        else resting.delete(name);
      }
    },
    forget(isOf) {
      const found = all().filter(isOf);
      for (const copy of found) remove(copy);
      removeOrphans();
      return found.length;
    },
    count: (isOf) => all().filter(isOf).length,
  };
}

const hasSide = ({ name }: Taken): boolean => name.endsWith(recordEnd);
/** Where the side file of a copy is. */
export const sideOf = (name: string): string => `${name.slice(0, -recordEnd.length)}${sideEnd}`;

/** Behind the moment and the ids: where the file was. */
function placeIn(file: string): string | undefined {
  const place = /(?:companies|people)~.+$/.exec(file)?.[0];
  return place?.split("~").join("/");
}
