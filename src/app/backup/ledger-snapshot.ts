import { constants } from "node:fs";
import { stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { openRegularFile, readRegularFile } from "../../base/files/regular-file.ts";
import { absentIsUndefined, filesBelow, ledgerFolders } from "./data-files.ts";

/**
 * The ledger's files as of one moment, while nodes write. Journals only grow, and every other file is
 * replaced as a whole. So this opens all files and then checks that none was replaced meanwhile. An open
 * file keeps its content even if its name is reused; a journal is read up to its length at that moment.
 * An incomplete commit at the end of a journal was not acknowledged yet; the next start removes it.
 */
export interface LedgerSnapshot extends AsyncDisposable {
  readonly files: readonly SnapshotFile[];
}

export interface SnapshotFile {
  readonly name: string;
  readonly handle: FileHandle;
  readonly size: number;
}

/** Nodes replace these files at most once every ten seconds, so few attempts are needed. */
const attemptsMax = 20;
/** These files hold the node's id and sessions, and the checkpoint that the journals continue. */
const stateFiles = ["ledger/node.json", "ledger/base.json", "ledger/segments.usv"];

export async function openLedgerSnapshot(root: string): Promise<LedgerSnapshot> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const before = await stateOf(root);
    const files = await openAll(root);
    const close = async () => {
      for (const { handle } of files) await handle.close();
    };
    if ((await areInPlace(root, files)) && (await stateOf(root)) === before) {
      return { files, [Symbol.asyncDispose]: close };
    }
    await close();
  }
  const message = "the files of the ledger changed each time while they were opened: try again";
  throw new AppError("unavailable", "backup_ledger_busy", message);
}

async function stateOf(root: string): Promise<string> {
  const contents = await Promise.all(
    stateFiles.map((name) => readRegularFile(join(root, name)).catch(absentIsUndefined)),
  );
  return contents.map((content) => content?.toString("base64") ?? "none").join("\n");
}

async function openAll(root: string): Promise<readonly SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  try {
    for (const folder of ledgerFolders) {
      const found = filesBelow(folder, { root, onSpecial: () => {} }, (name) => name === "ledger/spill"); // prettier-ignore
      for await (const { name, path } of found) {
        const handle = await openRegularFile(path, constants.O_RDONLY).catch(absentIsUndefined);
        if (handle) files.push({ name, handle, size: (await handle.stat()).size });
      }
    }
    return files;
  } catch (error) {
    for (const { handle } of files) await handle.close();
    throw error;
  }
}

async function areInPlace(root: string, files: readonly SnapshotFile[]): Promise<boolean> {
  const [now, opened] = [new Set<string>(), new Set(files.map(({ name }) => name))];
  for (const folder of ledgerFolders) {
    const found = filesBelow(folder, { root, onSpecial: () => {} }, (name) => name === "ledger/spill"); // prettier-ignore
    for await (const { name } of found) now.add(name);
  }
  if (now.size !== opened.size || [...now].some((name) => !opened.has(name))) return false;
  for (const { name, handle } of files) {
    const [there, held] = [
      await stat(join(root, name)).catch(absentIsUndefined),
      await handle.stat(),
    ];
    if (there?.ino !== held.ino || there.dev !== held.dev) return false;
  }
  return true;
}
