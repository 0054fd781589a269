import { createHash } from "node:crypto";
import { afterTick } from "../../base/tick.ts";
import { dayOf } from "../clock/stamp.ts";
import { encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { headerRecord } from "../file-header.ts";
import type { LedgerDisk } from "./disk.ts";
import {
  isJournalDamaged,
  readDamagedFile,
  readJournalFile,
  type JournalFile,
} from "./journal-file.ts";

/**
 * The logs of this node and of all it heard from: `wal/<node>/<yyyymmdd>.usv`, the day in UTC by
 * the stamp. Always:
 * - an append that resolved survives a power cut, and those of one tick share one sync;
 * - a crash leaves whole commits; a failed append leaves nothing, and all that were waiting behind
 *   it fail too, since their numbers follow on.
 */
export interface Journal {
  /** Whole commits, in the order of their numbers. */
  append(datagrams: readonly Datagram[]): Promise<void>;
  /** Called when appends have failed, before any of them rejects. */
  onFailure(callback: () => void): void;
  /** Takes datagrams out of the files. Only for one's own that nobody else has seen. */
  remove(isGone: (datagram: Datagram) => boolean): Promise<void>;
  /** Writes some datagrams otherwise, in their places. Answers how many those were. */
  rewrite(change: (datagram: Datagram) => Datagram): Promise<number>;
  /** Resolves when all that was asked for has been done or has failed. */
  idle(): Promise<void>;
  /** Deletes the copies of damaged files that were set aside. */
  removeSetAside(): Promise<void>;
  /** Removes every file whose datagrams the checkpoint in `isCovered` holds, all of them. */
  prune(isCovered: (datagram: Datagram) => boolean): Promise<number>;
}

export interface OpenedJournal {
  readonly journal: Journal;
  /** As they stand in the files: each session's in order, files by node and day. */
  readonly datagrams: readonly Datagram[];
  /** Tails that a crash had left, and that were cut. */
  readonly cuts: readonly Cut[];
  /** Files that were damaged: what can be read of them was kept in their place. */
  readonly damaged: readonly SetAside[];
}

export interface SetAside {
  readonly file: string;
  /** Where the file is as it was found. */
  readonly keptAs: string;
}

export interface Cut {
  readonly file: string;
  readonly bytes: number;
}

export const journalFolder = "wal";

/** With `isReader` nothing is changed, and damage throws: the writer may be at it. */
export async function openJournal(
  disk: LedgerDisk,
  { isReader = false }: { readonly isReader?: boolean } = {},
): Promise<OpenedJournal> {
  const files = new Map<string, FileState>();
  const datagrams: Datagram[] = [];
  const cuts: Cut[] = [];
  const damaged: SetAside[] = [];
  for (const name of await disk.list(journalFolder)) {
    if (!fileName.test(name)) continue;
    const bytes = await disk.read(name);
    if (!bytes) continue;
    let read: JournalFile;
    try {
      read = readJournalFile(bytes, name);
    } catch (error) {
      if (isReader || !isJournalDamaged(error)) throw error;
      const { keptAs, ...rest } = await setAside(disk, name, bytes);
      damaged.push({ file: name, keptAs });
      for (const datagram of rest.datagrams) datagrams.push(datagram);
      files.set(name, stateOf(rest.bytes, rest.datagrams));
      continue;
    }
    const { datagrams: found, goodBytes } = read;
    for (const datagram of found) datagrams.push(datagram);
    files.set(name, stateOf(goodBytes, found));
    if (goodBytes === bytes.byteLength) continue;
    cuts.push({ file: name, bytes: bytes.byteLength - goodBytes });
    if (!isReader) await disk.truncate(name, goodBytes);
  }
  return { journal: createJournal(disk, files), datagrams, cuts, damaged };
}

const fileName = /^wal\/[0-9a-z]{13}\/\d{8}\.usv$/;
const setAsideName = /^wal\/[0-9a-z]{13}\/\d{8}\.usv\.damaged-[0-9a-f]{8}$/;

/**
 * Keeps a damaged file under another name, then leaves only its readable datagrams in its place. The
 * name follows from the content: a crash in between repeats the first step.
 */
async function setAside(disk: LedgerDisk, name: string, bytes: Uint8Array) {
  const digest = createHash("sha256").update(bytes).digest("hex");
  const keptAs = `${name}.damaged-${digest.slice(0, 8)}`;
  await disk.replace(keptAs, bytes);
  const datagrams = readDamagedFile(bytes);
  const content = Buffer.from(headerRecord("journal") + datagrams.map(encodeDatagram).join(""));
  await disk.replace(name, content);
  return { keptAs, datagrams, bytes: content.byteLength };
}

/** What is known of a file without reading it again. */
interface FileState {
  readonly bytes: number;
  /** The last datagram of each session in it, by session. */
  readonly last: ReadonlyMap<string, Datagram>;
}

const emptyFile: FileState = { bytes: 0, last: new Map() };

function stateOf(bytes: number, datagrams: readonly Datagram[], before = emptyFile): FileState {
  const last = new Map(before.last);
  for (const datagram of datagrams) last.set(datagram.session, datagram);
  return { bytes, last };
}

interface Waiting {
  readonly datagrams: readonly Datagram[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function createJournal(disk: LedgerDisk, files: Map<string, FileState>): Journal {
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let onFailure = () => {};
  /** Files that hold more than they should, because cutting them failed too. */
  const uncut = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  /** One thing at a time on the files. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  };

  const cutBack = async (name: string) => {
    uncut.add(name);
    await disk.truncate(name, files.get(name)?.bytes ?? 0);
    uncut.delete(name);
  };

  /** One write for each file: as a rule one file, one sync, for all who wait. */
  const write = async (datagrams: readonly Datagram[]) => {
    for (const name of uncut) await cutBack(name);
    const groups = new Map<string, Datagram[]>();
    for (const datagram of datagrams) {
      const name = `${journalFolder}/${datagram.node}/${dayOf(datagram.stamp)}.usv`;
      const some = groups.get(name);
      if (some) some.push(datagram);
      else groups.set(name, [datagram]);
    }
    const before = new Map([...groups.keys()].map((name) => [name, files.get(name)]));
    try {
      for (const [name, some] of groups) {
        const old = before.get(name) ?? emptyFile;
        const header = old.bytes === 0 ? headerRecord("journal") : "";
        const bytes = Buffer.from(header + some.map(encodeDatagram).join(""));
        await disk.append(name, bytes);
        files.set(name, stateOf(old.bytes + bytes.byteLength, some, old));
      }
    } catch (error) {
      for (const [name, old] of before) {
        files.set(name, old ?? emptyFile);
        await cutBack(name).catch(() => {}); // tried again before the next write
      }
      throw error;
    }
  };

  /** Replaces the content of each file that `change` answers other datagrams for. */
  const eachFile = (change: (found: readonly Datagram[]) => readonly Datagram[]) =>
    inTurn(async () => {
      for (const name of files.keys()) {
        const bytes = await disk.read(name);
        const found = bytes ? readJournalFile(bytes, name).datagrams : [];
        const left = change(found);
        if (left.length === found.length && left.every((one, at) => one === found[at])) continue;
        const content = Buffer.from(headerRecord("journal") + left.map(encodeDatagram).join(""));
        await disk.replace(name, content);
        files.set(name, stateOf(content.byteLength, left));
      }
    });

  const flush = async () => {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await inTurn(() => write(group.flatMap(({ datagrams }) => datagrams)));
        for (const { resolve } of group) resolve();
      } catch (error) {
        const behind = waiting;
        waiting = [];
        onFailure();
        for (const { reject } of [...group, ...behind]) reject(error);
      }
    }
    flushing = undefined;
  };

  return {
    append: (datagrams) =>
      new Promise((resolve, reject) => {
        waiting.push({ datagrams, resolve, reject });
        flushing ??= new Promise((done) => afterTick(() => void flush().then(done)));
      }),
    onFailure: (callback) => void (onFailure = callback),
    async remove(isGone) {
      await eachFile((found) => found.filter((datagram) => !isGone(datagram)));
    },
    async rewrite(change) {
      let count = 0;
      await eachFile((found) => {
        const changed = found.map(change);
        count += changed.filter((datagram, at) => datagram !== found[at]).length;
        return changed;
      });
      return count;
    },
    async idle() {
      while (flushing) await flushing;
      await turn;
    },
    removeSetAside: () =>
      inTurn(async () => {
        for (const name of await disk.list(journalFolder)) {
          if (setAsideName.test(name)) await disk.remove(name);
        }
      }),
    prune: async (isCovered) => {
      let removed = 0;
      for (const name of files.keys()) {
        // In turn, so that nothing is appended between the look and the removal.
        await inTurn(async () => {
          // Numbers of a session only rise in a file: where the last is covered, all are.
          const last = files.get(name)?.last.values() ?? [];
          if (![...last].every(isCovered)) return;
          await disk.remove(name);
          files.delete(name);
          removed += 1;
        });
      }
      return removed;
    },
  };
}
