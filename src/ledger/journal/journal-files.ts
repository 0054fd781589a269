import { encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { sessionKey, type SessionKey } from "../fold/vector.ts";
import type { FoldedFile, JournalRun } from "../state/state-store.ts";
import type { FileStat, LedgerDisk } from "./disk.ts";
import type { JournalChanges } from "./journal.ts";
import type { JournalPiece } from "./journal-file.ts";
import { createRuns, type Runs } from "./runs.ts";

/** What is known about the journal files without reading them. */
export interface JournalFiles {
  readonly runs: Runs;
  names(): readonly string[];
  get(name: string): FileState | undefined;
  set(name: string, state: FileState): void;
  /** Call when a piece was added at the end of a file. */
  addPiece(name: string, piece: JournalPiece): void;
  drop(name: string): void;
  /** Names of files whose content has changed since the last save. */
  changed(): readonly string[];
  /** `stats`: the result of a recent `stat` of these files. */
  changes(stats: ReadonlyMap<string, FileStat | undefined>): JournalChanges;
  /** A number that changes whenever the content of a file is replaced, or a file is removed. */
  generation(): number;
}

export type FileState = Omit<FoldedFile, "name">;

export const emptyFile: FileState = { bytes: 0, mark: "", changed: "", last: {} };

/** The checksum of a record, and its end. */
const markLength = 11;
const markOf = (last: Datagram): string => encodeDatagram(last).slice(-markLength);

/** Whether a file still begins with the content that was read. */
export async function isOfFile(disk: LedgerDisk, file: FoldedFile): Promise<boolean> {
  const { name, bytes, mark, changed } = file;
  const stat = await disk.stat(name);
  if (!stat || stat.bytes < bytes) return false;
  // Another program wrote to it: all of it has to be read.
  if (stat.bytes === bytes && changed !== "" && stat.changed !== changed) return false;
  const end = await disk.readAt(name, bytes - mark.length, mark.length);
  return end !== undefined && Buffer.from(end).toString("latin1") === mark;
}

export function journalFiles(stored: {
  readonly files?: readonly FoldedFile[];
  readonly runs?: readonly JournalRun[];
}): JournalFiles {
  const files = new Map<string, FileState>();
  for (const { name, ...state } of stored.files ?? []) files.set(name, state);
  const runs = createRuns(stored.runs);
  const changed = new Set<string>();
  const dropped = new Set<string>();
  const keys = new Set<SessionKey>();
  let generation = 0;
  return {
    runs,
    names: () => [...files.keys()],
    get: (name) => files.get(name),
    set(name, state) {
      files.set(name, state);
      changed.add(name);
    },
    addPiece(name, { datagrams, ends, from }) {
      const last = { ...files.get(name)?.last };
      let start = from;
      for (const [at, datagram] of datagrams.entries()) {
        const [key, end] = [sessionKey(datagram), ends[at]!];
        const { number, stamp, session } = datagram;
        runs.add(name, { key, number, stamp, start, end });
        last[session] = number;
        keys.add(key);
        start = end;
      }
      files.set(name, { bytes: start, mark: markOf(datagrams.at(-1)!), changed: "", last });
      changed.add(name);
    },
    drop(name) {
      files.delete(name);
      runs.dropFile(name);
      changed.delete(name);
      dropped.add(name);
      generation += 1;
    },
    changed: () => [...changed],
    changes(stats) {
      return {
        files: [...changed].map((name): FoldedFile => {
          const file = files.get(name)!;
          const stat = stats.get(name);
          return { name, ...file, changed: stat?.bytes === file.bytes ? stat.changed : "" };
        }),
        runs: runs.changes(),
        dropFiles: [...dropped],
        keys,
        saved() {
          changed.clear();
          dropped.clear();
          keys.clear();
          runs.forgetChanges();
        },
      };
    },
    generation: () => generation,
  };
}
