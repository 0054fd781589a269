import { AppError } from "../../base/app-error.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { sessionKey, type SessionKey } from "../fold/vector.ts";
import type { JournalRun } from "../state/state-store.ts";
import type { LedgerDisk } from "./disk.ts";
import { readDatagrams, readJournalFile } from "./journal-file.ts";
import type { JournalFiles } from "./journal-files.ts";

export interface DatagramRange {
  readonly key: SessionKey;
  readonly from: number;
  readonly to: number;
}

export const countRanges = (ranges: readonly DatagramRange[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);

/** Reads journals piece by piece, however large they are. */
export interface JournalReader {
  /** Datagrams of a session in order, in pieces. Ends at the first one that is missing. */
  read(range: DatagramRange): AsyncGenerator<readonly Datagram[]>;
  /** The same as one list. Use it for few datagrams. */
  readAll(range: DatagramRange): Promise<readonly Datagram[]>;
  /** All datagrams, by node and day, in pieces. `isWanted` selects files. */
  scan(isWanted?: (file: string) => boolean): AsyncGenerator<readonly Datagram[]>;
}

const keptMax = 4;
/** How often a piece is read again if it changed meanwhile. */
const triesMax = 5;

export function createJournalReader(disk: LedgerDisk, files: JournalFiles): JournalReader {
  /**
   * The pieces that were read last: a reader that goes datagram by datagram needs one many times.
   */
  const kept = new Map<string, readonly Datagram[]>();
  /** Returns undefined if the run no longer exists. */
  const readRun = async (run: JournalRun): Promise<readonly Datagram[] | undefined> => {
    const { file, start, end } = run;
    const generation = files.generation();
    const name = `${generation} ${file} ${start} ${end}`;
    const known = kept.get(name);
    if (known) return known;
    try {
      const bytes = await disk.readAt(file, start, end - start);
      if (bytes?.byteLength === end - start) {
        const datagrams = readDatagrams(bytes);
        kept.set(name, datagrams);
        if (kept.size > keptMax) kept.delete(kept.keys().next().value!);
        return datagrams;
      }
    } catch (error) {
      const isOther = error instanceof AppError && error.kind === "corrupt";
      if (!isOther) throw error;
    }
    if (files.generation() !== generation) return undefined;
    const message = `${file} is damaged or cut at byte ${start}: run \`forager ledger verify\``;
    throw new AppError("corrupt", "ledger_journal_damaged", message);
  };
  async function* read({ key, from, to }: DatagramRange): AsyncGenerator<readonly Datagram[]> {
    let tries = 0;
    for (let next = from; next <= to;) {
      const run = files.runs.find(key, next);
      if (!run) return;
      const found = await readRun({ ...run });
      const inRange = (found ?? []).filter(
        (one) => one.number >= next && one.number <= to && sessionKey(one) === key,
      );
      if (inRange[0]?.number === next) {
        tries = 0;
        next = inRange.at(-1)!.number + 1;
        yield inRange;
      } else if (++tries === triesMax) return;
    }
  }
  return {
    read,
    async readAll(range) {
      const all: Datagram[] = [];
      for await (const some of read(range)) for (const one of some) all.push(one);
      return all;
    },
    async *scan(isWanted = () => true) {
      for (const name of files.names().toSorted()) {
        const file = files.get(name);
        if (!file || !isWanted(name)) continue;
        for await (const { datagrams } of readJournalFile(disk, name, { from: 0 })) yield datagrams;
      }
    },
  };
}
