import { createHash } from "node:crypto";
import { afterTick } from "../../base/tick.ts";
import { dayOf } from "../clock/stamp.ts";
import { encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { headerRecord } from "../file-header.ts";
import type { SessionKey } from "../fold/vector.ts";
import type { FoldedFile, JournalRun } from "../state/state-store.ts";
import type { FileStat, LedgerDisk } from "./disk.ts";
import { isJournalDamaged, readDamagedFile, readJournalFile } from "./journal-file.ts";
import { emptyFile, isOfFile, journalFiles, type JournalFiles } from "./journal-files.ts";
import { createJournalReader, type JournalReader } from "./journal-reader.ts";

/**
 * The logs of this node and of all nodes that it has received from: `wal/<node>/<yyyymmdd>.usv`,
 * the day in UTC by the stamp. Invariants:
 * - an append that resolved survives a power cut, and all appends of one tick share one sync;
 * - a crash leaves whole commits; a failed append leaves nothing, and the appends that wait behind
 *   it fail too, because their numbers follow on.
 */
export interface Journal extends JournalReader {
  /** Takes whole commits, in the order of their numbers. `records`: the datagrams, encoded. */
  append(datagrams: readonly Datagram[], records?: readonly string[]): Promise<void>;
  /** Called when appends have failed, before any of them rejects. */
  onFailure(callback: () => void): void;
  /** Called after each write to the files, and before the next one. */
  onWritten(callback: () => Promise<void>): void;
  /** Removes datagrams from the files. Only for own datagrams that no other node has seen. */
  remove(isGone: (datagram: Datagram) => boolean): Promise<void>;
  /** Replaces datagrams in place. Returns how many it replaced. */
  rewrite(change: (datagram: Datagram) => Datagram): Promise<number>;
  /** Resolves when all requests so far have succeeded or failed. */
  idle(): Promise<void>;
  /** Deletes the copies of damaged files. */
  removeDamagedCopies(): Promise<void>;
  /** Removes every file whose datagrams are all covered. Returns the names of these files. */
  prune(
    isCovered: (last: Pick<Datagram, "node" | "session" | "number">) => boolean,
  ): Promise<readonly string[]>;
  /** The last number of a session in the files; 0: none. */
  lastOf(key: SessionKey): number;
  /** The ranges of the files that hold the datagrams of a session, by their numbers. */
  runsOf(key: SessionKey): readonly JournalRun[];
  /** What has changed in the files since `saved`; undefined while they are being written. */
  changes(stats: FileStats): JournalChanges | undefined;
  /** The state of changed files on the disk, for `changes`. */
  stats(): Promise<FileStats>;
}

export interface JournalChanges {
  readonly files: readonly FoldedFile[];
  readonly runs: readonly JournalRun[];
  readonly dropFiles: readonly string[];
  /** Sessions with new datagrams in the files. */
  readonly keys: ReadonlySet<SessionKey>;
  /** Call when the changes are saved. */
  saved(): void;
}

export type FileStats = ReadonlyMap<string, FileStat | undefined>;

export interface DamagedFile {
  readonly file: string;
  /** The name of the copy of the damaged file. */
  readonly keptAs: string;
}

export interface Cut {
  readonly file: string;
  readonly bytes: number;
}

export const journalFolder = "wal";

export interface OpenJournalOptions {
  /** Nothing is changed, and damage throws, because a writer may be active. */
  readonly isReader?: boolean;
  /** How far the files were read before, and what they contained. */
  readonly files?: readonly FoldedFile[];
  readonly runs?: readonly JournalRun[];
  /** Receives what was not read before: by node and day, in the order of each session. */
  readonly onDatagrams: (datagrams: readonly Datagram[]) => void | Promise<void>;
  /** True if a missing file is harmless, because a checkpoint contains all of it. */
  readonly mayBeMissing?: (file: FoldedFile) => boolean;
  /** Receives the journal before anything is read. */
  readonly onOpened?: (journal: Journal) => void | Promise<void>;
  /** The node whose files are read first. */
  readonly node?: string;
}

export interface OpenedJournal {
  readonly journal: Journal;
  /** Incomplete tails that a crash had left. They were cut off. */
  readonly cuts: readonly Cut[];
  /** Damaged files. Their readable content was kept in their place. */
  readonly damaged: readonly DamagedFile[];
}

/** Returns undefined if files are not as they were when they were read before. */
export async function openJournal(
  disk: LedgerDisk,
  options: OpenJournalOptions,
): Promise<OpenedJournal | undefined> {
  const { isReader = false, onDatagrams, mayBeMissing = () => false } = options;
  const names = (await disk.list(journalFolder)).filter((name) => fileName.test(name));
  const files = journalFiles(options);
  const there = new Set(names);
  for (const file of options.files ?? []) {
    if (there.has(file.name) ? await isOfFile(disk, file) : mayBeMissing(file)) {
      if (!there.has(file.name)) files.drop(file.name);
      continue;
    }
    return undefined;
  }
  const journal = createJournal(disk, files);
  await options.onOpened?.(journal);
  const cuts: Cut[] = [];
  const damaged: DamagedFile[] = [];
  const isOwn = (name: string) => name.startsWith(`${journalFolder}/${options.node ?? ""}/`);
  for (const name of [...names.filter(isOwn), ...names.filter((one) => !isOwn(one))]) {
    let goodBytes = 0;
    const read = async () => {
      const from = files.get(name)?.bytes ?? 0;
      const onEnd = (bytes: number) => (goodBytes = bytes);
      for await (const piece of readJournalFile(disk, name, { from, onEnd })) {
        files.addPiece(name, piece);
        await onDatagrams(piece.datagrams);
      }
    };
    if ((await disk.stat(name))?.bytes === files.get(name)?.bytes) continue;
    try {
      await read();
    } catch (error) {
      if (isReader || !isJournalDamaged(error)) throw error;
      damaged.push({ file: name, keptAs: await keepDamagedCopy(disk, name) });
      await read();
    }
    const size = (await disk.stat(name))?.bytes ?? 0;
    if (!files.get(name)) files.set(name, { ...emptyFile, bytes: goodBytes });
    if (goodBytes === size) continue;
    cuts.push({ file: name, bytes: size - goodBytes });
    if (!isReader) await disk.truncate(name, goodBytes);
  }
  return { journal, cuts, damaged };
}

const fileName = /^wal\/[0-9a-z]{13}\/\d{8}\.usv$/;
const damagedCopyName = /^wal\/[0-9a-z]{13}\/\d{8}\.usv\.damaged-[0-9a-f]{8}$/;

/**
 * Keeps a damaged file under another name, then leaves only its readable datagrams in its place.
 * The name is derived from the content, so after a crash in between the first step is repeated.
 * What precedes the damage stays in place.
 */
async function keepDamagedCopy(disk: LedgerDisk, name: string): Promise<string> {
  const bytes = (await disk.read(name)) ?? new Uint8Array();
  const digest = createHash("sha256").update(bytes).digest("hex");
  const keptAs = `${name}.damaged-${digest.slice(0, 8)}`;
  await disk.replace(keptAs, bytes);
  const datagrams = readDamagedFile(bytes);
  const content = Buffer.from(headerRecord("journal") + datagrams.map(encodeDatagram).join(""));
  await disk.replace(name, content);
  return keptAs;
}

interface Waiting {
  readonly datagrams: readonly Datagram[];
  readonly records: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function createJournal(disk: LedgerDisk, files: JournalFiles): Journal {
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let onFailure = () => {};
  let onWritten = async () => {};
  let isWriting = false;
  /** Files that are too long, because cutting them back after a failed append failed too. */
  const uncut = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  /** Runs one operation on the files at a time. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(async () => {
      isWriting = true;
      try {
        return await work();
      } finally {
        isWriting = false;
      }
    });
    turn = mine.catch(() => {});
    return mine;
  };

  const cutBack = async (name: string) => {
    uncut.add(name);
    await disk.truncate(name, files.get(name)?.bytes ?? 0);
    uncut.delete(name);
  };

  /** One write for each file: usually one file and one sync for all waiting appends. */
  const write = async (all: readonly Waiting[]) => {
    for (const name of uncut) await cutBack(name);
    const groups = new Map<string, { datagrams: Datagram[]; records: string[] }>();
    for (const { datagrams, records } of all) {
      for (const [at, datagram] of datagrams.entries()) {
        const name = `${journalFolder}/${datagram.node}/${dayOf(datagram.stamp)}.usv`;
        let group = groups.get(name);
        if (!group) groups.set(name, (group = { datagrams: [], records: [] }));
        group.datagrams.push(datagram);
        group.records.push(records[at]!);
      }
    }
    const written: (() => void)[] = [];
    try {
      for (const [name, { datagrams, records }] of groups) {
        const from = files.get(name)?.bytes ?? 0;
        const header = from === 0 ? headerRecord("journal") : "";
        const bytes = Buffer.from(header + records.join(""));
        await disk.append(name, bytes);
        let end = from + Buffer.byteLength(header);
        const start = end;
        const ends = records.map((record) => (end += Buffer.byteLength(record)));
        const piece = { datagrams, ends, from: start };
        written.push(() => files.addPiece(name, piece));
      }
    } catch (error) {
      for (const name of groups.keys()) {
        await cutBack(name).catch(() => {}); // tried again before the next write
      }
      throw error;
    }
    for (const note of written) note();
  };

  /** Replaces the content of each file for which `change` returns other datagrams. */
  const eachFile = (change: (found: readonly Datagram[]) => readonly Datagram[]) =>
    inTurn(async () => {
      for (const name of files.names()) {
        let isSame = true;
        for await (const { datagrams } of readJournalFile(disk, name, { from: 0 })) {
          const left = change(datagrams);
          isSame &&=
            left.length === datagrams.length && left.every((one, at) => one === datagrams[at]);
        }
        if (isSame) continue;
        await disk.replace(name, changedContent(disk, name, change));
        files.drop(name);
        for await (const piece of readJournalFile(disk, name, { from: 0 })) {
          files.addPiece(name, piece);
        }
        if (!files.get(name)) {
          files.set(name, { ...emptyFile, bytes: (await disk.stat(name))?.bytes ?? 0 });
        }
      }
    });

  const flush = async () => {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await inTurn(() => write(group));
        for (const { resolve } of group) resolve();
      } catch (error) {
        const behind = waiting;
        waiting = [];
        onFailure();
        for (const { reject } of [...group, ...behind]) reject(error);
        continue;
      }
      await onWritten();
    }
    flushing = undefined;
  };

  return {
    ...createJournalReader(disk, files),
    append: (datagrams, records = datagrams.map(encodeDatagram)) =>
      new Promise((resolve, reject) => {
        waiting.push({ datagrams, records, resolve, reject });
        flushing ??= new Promise((done) => afterTick(() => void flush().then(done)));
      }),
    onFailure: (callback) => void (onFailure = callback),
    onWritten: (callback) => void (onWritten = callback),
    async remove(isGone) {
      await eachFile((found) => found.filter((datagram) => !isGone(datagram)));
    },
    async rewrite(change) {
      let count = 0;
      const counted = new Set<string>();
      await eachFile((found) => {
        const changed = found.map(change);
        for (const [at, datagram] of changed.entries()) {
          const { node, session, number } = datagram;
          const dot = `${node}/${session}/${number}`;
          if (datagram === found[at] || counted.has(dot)) continue;
          counted.add(dot);
          count += 1;
        }
        return changed;
      });
      return count;
    },
    async idle() {
      while (flushing) await flushing;
      await turn;
    },
    removeDamagedCopies: () =>
      inTurn(async () => {
        for (const name of await disk.list(journalFolder)) {
          if (damagedCopyName.test(name)) await disk.remove(name);
        }
      }),
    prune: async (isCovered) => {
      const removed: string[] = [];
      for (const name of files.names()) {
        // One at a time with appends, so that nothing is appended between the check and the
        // removal.
        await inTurn(async () => {
          const node = name.split("/")[1]!;
          // Numbers of a session only rise in a file: if the last one is covered, all are.
          const last = Object.entries(files.get(name)?.last ?? {});
          if (!last.every(([session, number]) => isCovered({ node, session, number }))) return;
          await disk.remove(name);
          files.drop(name);
          removed.push(name);
        });
      }
      return removed;
    },
    lastOf: (key) => files.runs.lastOf(key),
    runsOf: (key) => files.runs.of(key),
    changes: (stats) => (isWriting ? undefined : files.changes(stats)),
    async stats() {
      const stats = new Map<string, FileStat | undefined>();
      for (const name of files.changed()) stats.set(name, await disk.stat(name));
      return stats;
    },
  };
}

async function* changedContent(
  disk: LedgerDisk,
  name: string,
  change: (found: readonly Datagram[]) => readonly Datagram[],
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(headerRecord("journal"));
  for await (const { datagrams } of readJournalFile(disk, name, { from: 0 })) {
    yield Buffer.from(change(datagrams).map(encodeDatagram).join(""));
  }
}
