import {
  chmodSync,
  existsSync,
  fdatasync,
  linkSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { translateFileError } from "../base/atomic-file.ts";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";

/**
 * The data folder, as far as records are concerned. Names are relative, with `/`, and made by us
 * or listed here. Calls wait for the disk: each takes microseconds, and a record is in order
 * between two of them. Only a sync takes long, and for that nobody is kept waiting.
 * Throws AppError, as `translateFileError` words it.
 */
export interface RecordDisk {
  /** Undefined: there is none, or it is no file. */
  read(name: string): Uint8Array | undefined;
  /** Names in a folder, in order; empty where there is none. */
  list(folder: string): readonly string[];
  has(name: string): boolean;
  /** Undefined: there is none. */
  look(name: string): { readonly changedAtMs: number; readonly bytes: number } | undefined;
  /**
   * Puts a file where there is none; "taken" where there is one by then. It is whole or not there,
   * unless it is hasty: then a power cut may leave it empty.
   */
  place(name: string, text: string, how: PlaceOptions): Promise<"placed" | "taken">;
  /** Writes a file that is put in its place later, at once. */
  prepare(text: string, how: PlaceOptions): Promise<Prepared>;
  /** Replaces a file that nobody edits. */
  overwrite(name: string, text: string, how: PlaceOptions): Promise<void>;
  /** Undefined where there is nothing to move. */
  move(from: string, to: string): "moved" | undefined;
  /** Gives a file that is only ever replaced a second name; undefined where there is none. */
  share(from: string, to: string): "shared" | undefined;
  /** Moves a file to where none is; "taken" where there is one. */
  putBack(from: string, to: string): "placed" | "taken";
  remove(name: string): void;
  /** Only where nothing is in it. */
  removeFolder(name: string): void;
  path(name: string): string;
}

export interface Prepared {
  /** "taken": another file is there by now, and stays. To be called once. */
  place(name: string): "placed" | "taken";
  /** Instead. */
  discard(): void;
}

export interface PlaceOptions {
  /** Of many at a time, where a sync for each would take too long. */
  readonly isHasty?: boolean;
  readonly mode?: number;
}

export const temporaryFolder = "records/tmp";

const syncData = promisify(fdatasync);

export function openRecordDisk(folder: string, random: Random): RecordDisk {
  const path = (name: string) => join(folder, name);
  const attempt = <T>(name: string, work: (path: string) => T): T => {
    try {
      return work(path(name));
    } catch (error) {
      throw translateFileError(error, path(name));
    }
  };
  /** Asking is quicker than an error, and all but the last folder are there as a rule. */
  const withFolder = <T>(name: string, work: () => T): T => {
    const at = dirname(path(name));
    if (!existsSync(at)) {
      const isAlone = existsSync(dirname(at));
      mkdirSync(at, { recursive: !isAlone });
    }
    return work();
  };
  const writeTemporary = async (text: string, { isHasty, mode }: PlaceOptions) => {
    const temporary = path(`${temporaryFolder}/${createId(random, 20)}`);
    withFolder(`${temporaryFolder}/x`, () => writeFileSync(temporary, text, { flag: "wx" }));
    try {
      if (mode !== undefined) chmodSync(temporary, mode);
      if (!isHasty) await syncFile(temporary);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    return temporary;
  };

  const prepare = async (text: string, how: PlaceOptions): Promise<Prepared> => {
    let temporary: string;
    try {
      temporary = await writeTemporary(text, how);
    } catch (error) {
      throw translateFileError(error, path(temporaryFolder));
    }
    return {
      discard: () => unlinkSync(temporary),
      place(name) {
        try {
          // Unlike a rename, a link does not replace what someone has put there meanwhile.
          withFolder(name, () => linkSync(temporary, path(name)));
          return "placed";
        } catch (error) {
          if (codeOf(error) === "EEXIST") return "taken";
          throw translateFileError(error, path(name));
        } finally {
          unlinkSync(temporary);
        }
      },
    };
  };

  return {
    path,
    // What is not there is the rule for new records: asking first is quicker than an error.
    read: (name) =>
      attempt(name, (at) => (existsSync(at) ? orUndefined(() => readFileSync(at)) : undefined)),
    list: (name) =>
      attempt(name, (at) =>
        existsSync(at) ? (orUndefined(() => readdirSync(at)) ?? []).sort() : [],
      ),
    has: (name) => existsSync(path(name)),
    look: (name) =>
      attempt(name, (at) => {
        const found = orUndefined(() => statSync(at, { throwIfNoEntry: false }));
        return found && { changedAtMs: found.mtimeMs, bytes: found.size };
      }),
    async place(name, text, how) {
      try {
        if (how.isHasty && how.mode === undefined) {
          withFolder(name, () => writeFileSync(path(name), text, { flag: "wx" }));
          return "placed";
        }
      } catch (error) {
        if (codeOf(error) === "EEXIST") return "taken";
        throw translateFileError(error, path(name));
      }
      return (await prepare(text, how)).place(name);
    },
    prepare,
    async overwrite(name, text, how) {
      try {
        if (how.isHasty && !existsSync(path(name))) {
          return withFolder(name, () => writeFileSync(path(name), text));
        }
        const temporary = await writeTemporary(text, how);
        withFolder(name, () => renameSync(temporary, path(name)));
      } catch (error) {
        throw translateFileError(error, path(name));
      }
    },
    move: (from, to) =>
      attempt(to, (target) => {
        if (!existsSync(path(from))) return undefined;
        withFolder(to, () => renameSync(path(from), target));
        return "moved";
      }),
    share: (from, to) =>
      attempt(to, (target) => {
        if (!existsSync(path(from))) return undefined;
        withFolder(to, () => linkSync(path(from), target));
        return "shared";
      }),
    putBack: (from, to) =>
      attempt(to, (target) => {
        try {
          linkSync(path(from), target);
        } catch (error) {
          if (codeOf(error) === "EEXIST") return "taken";
          throw error;
        }
        unlinkSync(path(from));
        return "placed";
      }),
    remove: (name) => attempt(name, (at) => rmSync(at, { force: true })),
    removeFolder: (name) =>
      attempt(name, (at) => {
        try {
          rmdirSync(at);
        } catch (error) {
          if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(codeOf(error))) throw error;
        }
      }),
  };
}

async function syncFile(path: string): Promise<void> {
  const file = openSync(path, "r+");
  try {
    await syncData(file);
  } finally {
    closeSync(file);
  }
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
