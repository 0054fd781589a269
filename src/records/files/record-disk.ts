import {
  chmodSync,
  existsSync,
  fdatasync,
  linkSync,
  lstatSync,
  openSync,
  closeSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { AppError } from "../../base/app-error.ts";
import { translateFileError } from "../../base/files/atomic-file.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { specialEntry } from "../../base/files/regular-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { entryAt, openRecordFiles, type DiskFault, type RecordFiles } from "./record-files.ts";

/**
 * Reads, writes and removes the files of records; see `RecordFiles` for what it refuses. No other
 * code runs between two calls without an await. Only a sync takes long, and it does not block.
 */
export interface RecordDisk extends RecordFiles {
  /**
   * Writes files that will be put in place later, all at once; if one fails, none is kept. Syncing
   * all of them takes as long as syncing one. Each is complete or missing, unless it is hasty: then
   * a power cut may leave it empty.
   */
  prepareAll(texts: readonly string[], how: FileWriteOptions): Promise<readonly PreparedFile[]>;
  /** Replaces a file that users do not edit. */
  overwrite(name: string, text: string, how: FileWriteOptions): Promise<void>;
  /** Undefined if there is no file or folder to move. */
  move(from: string, to: string): "moved" | undefined;
  /**
   * Creates a second name for a file that is only ever replaced; undefined if there is no such
   * file.
   */
  share(from: string, to: string): "shared" | undefined;
  /** Moves a file back unless another exists there; then returns "taken". */
  putBack(from: string, to: string): "placed" | "taken";
  /** Removes all permissions except those of the owner from a regular file. */
  closeToOthers(name: string): void;
  /** Does nothing unless it is a regular file. */
  remove(name: string): void;
  /** Only if it is empty. */
  removeFolder(name: string): void;
}

export interface PreparedFile {
  /**
   * "taken": another file exists by now, and stays. Call exactly one of these methods. If there was
   * a file before (`isAgain`), an editor may be reading, so the new file appears complete at once.
   * It gets the mode of the previous file, which is now at `former`: a file that its owner has
   * opened to others with chmod stays open.
   */
  place(
    name: string,
    options: { readonly isAgain: boolean; readonly former?: string | undefined },
  ): "placed" | "taken";
  /** Replaces a file that users do not edit. */
  replace(name: string): void;
  discard(): void;
}

export interface FileWriteOptions {
  /** For one of many files, when syncing each would take too long. */
  readonly isHasty?: boolean;
}

export const temporaryFolder = "records/tmp";

const syncData = promisify(fdatasync);

export function openRecordDisk(folder: string, random: Random): RecordDisk {
  const files = openRecordFiles(folder);
  const path = (name: string) => files.path(name);
  const attempt = <T>(name: string, work: (path: string) => T): T => {
    try {
      return work(path(name));
    } catch (error) {
      throw translateFileError(error, path(name));
    }
  };
  const faultOf = (name: string, kind: "file" | "folder"): DiskFault | undefined =>
    kind === "file" ? files.fault(name) : files.folderFault(name);
  const isIn = (name: string) => faultOf(dirname(name), "folder") === undefined;
  const mustBeUsable = (name: string, kind: "file" | "folder") => {
    const fault = faultOf(name, kind);
    if (!fault) return;
    const message = `cannot write ${path(name)}: ${fault.reason}`;
    throw new AppError("invalid", "not_a_regular_file", message);
  };
  /** Checking is faster than an error, and usually all folders except the last exist. */
  const withFolder = <T>(name: string, work: () => T): T => {
    mustBeUsable(dirname(name), "folder");
    const at = dirname(path(name));
    if (!existsSync(at)) makeFolder(at);
    return work();
  };
  const writeTemporary = async (text: string) => {
    const temporary = path(`${temporaryFolder}/${createId(random, 20)}`);
    withFolder(`${temporaryFolder}/x`, () => writeFileSync(temporary, text, { flag: "wx" }));
    try {
      await syncFile(temporary);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    return temporary;
  };

  /**
   * After a failure, for example on a full disk, no partial file must remain that would look like
   * an edit.
   */
  const writeWhole = (name: string, text: string) =>
    withFolder(name, () => {
      const file = openSync(path(name), "wx");
      try {
        writeFileSync(file, text);
      } catch (error) {
        unlinkSync(path(name));
        throw error;
      } finally {
        closeSync(file);
      }
    });
  const placing = (name: string, work: () => void): "placed" | "taken" => {
    try {
      work();
      return "placed";
    } catch (error) {
      if (codeOf(error) === "EEXIST") return "taken";
      throw translateFileError(error, path(name));
    }
  };
  const writeElsewhere = (text: string): string => {
    const temporary = `${temporaryFolder}/${createId(random, 20)}`;
    writeWhole(temporary, text);
    return temporary;
  };
  const copyMode = (former: string | undefined, temporary: string) => {
    const found =
      former === undefined ? undefined : lstatSync(path(former), { throwIfNoEntry: false });
    if (found) chmodSync(temporary, found.mode & 0o777);
  };
  /**
   * Writes nothing before the destination is known: a new file then takes one call instead of four.
   */
  const prepareHastily = (text: string): PreparedFile => ({
    discard() {},
    place: (name, { isAgain, former }) =>
      placing(name, () => {
        if (!isAgain) return writeWhole(name, text);
        mustBeUsable(dirname(name), "folder");
        const temporary = path(writeElsewhere(text));
        try {
          copyMode(former, temporary);
          linkSync(temporary, path(name));
        } finally {
          unlinkSync(temporary);
        }
      }),
    replace(name) {
      attempt(name, (at) => {
        mustBeUsable(name, "file");
        if (!existsSync(at)) writeWhole(name, text);
        else renameSync(path(writeElsewhere(text)), at);
      });
    },
  });
  const prepare = async (text: string, how: FileWriteOptions): Promise<PreparedFile> => {
    if (how.isHasty) return prepareHastily(text);
    let temporary: string;
    try {
      temporary = await writeTemporary(text);
    } catch (error) {
      throw translateFileError(error, path(temporaryFolder));
    }
    return {
      discard: () => unlinkSync(temporary),
      place(name, { former }) {
        try {
          copyMode(former, temporary);
          // Unlike a rename, a link does not replace a file that was created meanwhile.
          return placing(name, () => withFolder(name, () => linkSync(temporary, path(name))));
        } finally {
          unlinkSync(temporary);
        }
      },
      replace(name) {
        try {
          mustBeUsable(name, "file");
          withFolder(name, () => renameSync(temporary, path(name)));
        } catch (error) {
          rmSync(temporary, { force: true });
          throw translateFileError(error, path(name));
        }
      },
    };
  };

  return {
    ...files,
    async prepareAll(texts, how) {
      const all = await Promise.allSettled(texts.map((text) => prepare(text, how)));
      const ready = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const failed = all.find((one) => one.status === "rejected");
      if (!failed) return ready;
      for (const one of ready) one.discard();
      throw failed.reason;
    },
    overwrite: async (name, text, how) => (await prepare(text, how)).replace(name),
    move: (from, to) =>
      attempt(to, (target) => {
        const found = isIn(from) ? entryAt(path(from)) : undefined;
        if (!found || specialEntry(found) !== undefined) return undefined;
        withFolder(to, () => renameSync(path(from), target));
        return "moved";
      }),
    share: (from, to) =>
      attempt(to, (target) => {
        const found = isIn(from) ? entryAt(path(from)) : undefined;
        if (!found?.isFile()) return undefined;
        withFolder(to, () => linkSync(path(from), target));
        return "shared";
      }),
    putBack: (from, to) =>
      attempt(to, (target) => {
        mustBeUsable(dirname(to), "folder");
        try {
          linkSync(path(from), target);
        } catch (error) {
          if (codeOf(error) === "EEXIST") return "taken";
          throw error;
        }
        unlinkSync(path(from));
        return "placed";
      }),
    closeToOthers: (name) =>
      attempt(name, (at) => {
        const found = isIn(name) ? entryAt(at) : undefined;
        if (found?.isFile() && (found.mode & 0o077) !== 0) chmodSync(at, found.mode & 0o700);
      }),
    remove: (name) =>
      attempt(name, (at) => {
        if (!faultOf(name, "file")) rmSync(at, { force: true });
      }),
    removeFolder: (name) =>
      attempt(name, (at) => {
        if (faultOf(name, "folder")) return;
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

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
