import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { hashOf, isClean } from "../page/front-matter.ts";
import { recordFile } from "./layout.ts";
import type { RecordDisk } from "./record-disk.ts";
import { besides, sideFile } from "../page/side-file.ts";

/**
 * Files that were moved away to make room for a new render. An editor may still have such a file
 * open and write to it afterwards, so it is read again before it is removed.
 * - `records/aside/`: moved, and not read again yet; files left by a crash are read too;
 * - `records/kept/`: hand edits that were ingested, kept for a day. Held files are readable by
 * their owner only, even if the original was open to others; the new file gets the original mode.
 * The file of a record has a copy of its side file with it: by the time it is read again, the
 * newest side file may not describe its render any more.
 */
export interface HeldBack {
  /** Moves a file away; undefined if there is none. */
  hold(name: string): HeldFile | undefined;
  /** Moves it back. If there is another file by now, it stays here and is read again later. */
  putBack(held: HeldFile): void;
  /** Call after its edit was ingested: it is kept for a day. */
  keep(held: HeldFile): void;
  /** Call if it was an unedited render: it is read once more, a little later. */
  release(held: HeldFile): void;
  /**
   * Reads all of them again: calls `ingest` for those that were written to after they were moved,
   * and for those left by a crash. Removes those that are done, unless they were moved just now.
   */
  review(ingest: IngestHeld): Promise<void>;
  /**
   * The same for files that were released long enough ago, so that a series of saves does not read
   * all earlier files each time. Once a minute it reviews all.
   */
  reviewDue(ingest: IngestHeld): Promise<void>;
  /** Removes every file for which `isOf` is true. Returns the number. */
  forget(isOf: (held: HeldFile) => boolean): number;
  count(isOf: (held: HeldFile) => boolean): number;
}

/** The edit is in the ledger, or there is none, or the file cannot be parsed. */
export type IngestHeld = (held: HeldFile) => Promise<"ingested" | "nothing" | "broken">;

export interface HeldFile {
  /** Its original path: `companies/acme/_index.md`. */
  readonly from: string;
  /** Its current path. The copy of its side file, if there was one, is at `sideOf(name)`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const keptForMs = 24 * 3_600_000;
const heldBackFolder = "records/aside";
const keptFolder = "records/kept";
/** Time for an editor to finish writing. */
const restMs = 2_000;
/** How often `reviewDue` reviews all files. */
const reviewAllMs = 60_000;
/**
 * The maximum length of the path within a file name. Only names of notes can be longer; they are
 * cut.
 */
const placeBytesMax = 150;
const recordEnd = `~${recordFile}`;
const sideEnd = `~${sideFile}`;

export interface HeldBackOptions {
  readonly disk: RecordDisk;
  readonly clock: Clock;
  readonly random: Random;
}

export function createHeldBack({ disk, clock, random }: HeldBackOptions): HeldBack {
  /** Files released by this process: name → time. */
  const resting = new Map<string, number>();
  let reviewedAtMs = -Infinity;

  const copyAt = (name: string): HeldFile | undefined => {
    const from = name.endsWith(sideEnd) ? undefined : placeIn(name);
    const bytes = from === undefined ? undefined : disk.read(name);
    return from === undefined || !bytes ? undefined : { from, name, bytes };
  };
  const copies = (folder: string): readonly HeldFile[] =>
    disk.list(folder).flatMap((file) => copyAt(`${folder}/${file}`) ?? []);
  const all = () => [...copies(heldBackFolder), ...copies(keptFolder)];

  const keep = (held: HeldFile) => {
    resting.delete(held.name);
    disk.closeToOthers(held.name);
    const [heldAt = "", id = "", ...rest] = held.name.slice(heldBackFolder.length + 1).split("-");
    const file = `${heldAt}-${hashOf(held.bytes)}-${id}-${rest.join("-")}`;
    disk.move(held.name, `${keptFolder}/${file}`);
    if (hasSide(held)) disk.move(sideOf(held.name), sideOf(`${keptFolder}/${file}`));
  };
  const remove = (copy: HeldFile) => {
    resting.delete(copy.name);
    disk.remove(copy.name);
    if (hasSide(copy)) disk.remove(sideOf(copy.name));
  };
  /** Removes side files whose file is gone, after a crash between the two removals. */
  const removeOrphans = () => {
    for (const folder of [heldBackFolder, keptFolder]) {
      const files = new Set(disk.list(folder));
      for (const file of files) {
        const copy = `${file.slice(0, -sideEnd.length)}${recordEnd}`;
        if (file.endsWith(sideEnd) && !files.has(copy)) disk.remove(`${folder}/${file}`);
      }
    }
  };
  /** True if an editor may be about to write to it. */
  const isFresh = ({ name }: HeldFile): boolean => {
    const ageMs = clock.nowMs() - parseInt(name.slice(heldBackFolder.length + 1), 36);
    return ageMs >= 0 && ageMs < restMs;
  };
  const reviewKept = async (ingest: IngestHeld) => {
    for (const copy of copies(keptFolder)) {
      const [heldAt = "", hash] = copy.name.slice(keptFolder.length + 1).split("-");
      if (clock.nowMs() - parseInt(heldAt, 36) < keptForMs) continue;
      // An editor that kept it open may have written to it since.
      const outcome = hashOf(copy.bytes) === hash ? "nothing" : await ingest(copy);
      if (outcome !== "broken") remove(copy);
    }
  };

  const lookAgain = async (copy: HeldFile, ingest: IngestHeld) => {
    const outcome = isClean(copy.bytes) ? "nothing" : await ingest(copy);
    if (outcome === "ingested") keep(copy);
    else disk.closeToOthers(copy.name);
    if (outcome !== "nothing") return void resting.delete(copy.name);
    // Otherwise it is read again later, by this process or the next one.
    if (!isFresh(copy)) remove(copy);
    else if (!resting.has(copy.name)) resting.set(copy.name, clock.monotonicMs());
  };
  const review = async (ingest: IngestHeld) => {
    reviewedAtMs = clock.monotonicMs();
    for (const copy of copies(heldBackFolder)) await lookAgain(copy, ingest);
    await reviewKept(ingest);
    removeOrphans();
  };

  return {
    hold(from) {
      const place = Buffer.from(from.split("/").join("~")).subarray(0, placeBytesMax).toString();
      const name = `${heldBackFolder}/${clock.nowMs().toString(36)}-${createId(random, 8)}-${place}`;
      const copy = { from, name, bytes: new Uint8Array() };
      // First, so that no held file is ever without a side file. A link is enough, because a side
      // file is replaced and never written to.
      if (hasSide(copy)) disk.share(besides(from), sideOf(name));
      const bytes = disk.move(from, name) && disk.read(name);
      if (bytes) return { ...copy, bytes };
      remove(copy);
      return undefined;
    },
    keep,
    putBack(held) {
      if (disk.putBack(held.name, held.from) === "placed") remove(held);
    },
    release({ name }) {
      disk.closeToOthers(name);
      resting.set(name, clock.monotonicMs());
    },
    review,
    async reviewDue(ingest) {
      const nowMs = clock.monotonicMs();
      const due = [...resting].filter(([, atMs]) => nowMs - atMs >= restMs);
      if (due.length === 0) return;
      if (nowMs - reviewedAtMs >= reviewAllMs) return review(ingest);
      for (const [name] of due) {
        const copy = copyAt(name);
        if (copy) await lookAgain(copy, ingest);
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

const hasSide = ({ name }: HeldFile): boolean => name.endsWith(recordEnd);
/** The path of the copy of its side file. */
export const sideOf = (name: string): string => `${name.slice(0, -recordEnd.length)}${sideEnd}`;

/** The original path, which follows the time and the ids in the name. */
function placeIn(file: string): string | undefined {
  const place = /(?:companies|people)~.+$/.exec(file)?.[0];
  return place?.split("~").join("/");
}
