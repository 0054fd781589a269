import { isAscii } from "node:buffer";
import { AppError } from "../../base/app-error.ts";
import { eachOwnRecord, hasEscape } from "../../usv/index.ts";
import { createPlace, locate } from "../datagram/datagram-place.ts";
import { checkedDatagramAt, datagramOf } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { checkHeader } from "../file-header.ts";
import type { LedgerDisk } from "./disk.ts";

/** Consecutive whole commits in a journal file. */
export interface JournalPiece {
  readonly datagrams: readonly Datagram[];
  /** Where each datagram ends; the first begins at `from`. */
  readonly ends: readonly number[];
  readonly from: number;
}

/**
 * Each record ends with these two bytes. Inside a record, control characters occur only in escapes.
 */
const recordEnd = Buffer.from("\u001e\n");

/** How many bytes are read at once. */
const chunkBytes = 2 ** 20;

export interface JournalReadOptions {
  /** Where to begin: 0, or the end of a commit. */
  readonly from: number;
  /** Called at the end with the length of the whole commits; a crash cut off what follows. */
  readonly onEnd?: (goodBytes: number) => void;
}

/**
 * Reads a journal file piece by piece. A tail that a crash left is not read: half a record, half a
 * commit, or garbage with no good record after it. Damage *before* good records does not come from
 * a crash: it throws `ledger_journal_damaged`, nothing may be cut, and the pieces before it have
 * been read by then.
 */
export async function* readJournalFile(
  disk: Pick<LedgerDisk, "readAt">,
  name: string,
  { from, onEnd = () => {} }: JournalReadOptions,
): AsyncGenerator<JournalPiece> {
  const reader = createPieceReader(name, from);
  let left: Uint8Array = new Uint8Array();
  for (let at = from; ;) {
    const chunk = (await disk.readAt(name, at, chunkBytes)) ?? new Uint8Array();
    at += chunk.byteLength;
    const bytes = left.byteLength === 0 ? chunk : Buffer.concat([left, chunk]);
    const { piece, used } = reader.read(bytes);
    if (piece.datagrams.length > 0) yield piece;
    left = bytes.subarray(used);
    if (chunk.byteLength < chunkBytes) break;
  }
  reader.end();
  onEnd(reader.goodBytes());
}

function createPieceReader(name: string, start: number) {
  let open: Datagram[] = [];
  let openEnds: number[] = [];
  let goodBytes = start;
  let offset = start;
  let firstFault: unknown;
  let notOurs: AppError | undefined;

  const take = (
    datagram: Datagram,
    end: number,
    piece: { datagrams: Datagram[]; ends: number[] },
  ) => {
    if (firstFault) throw damaged(name, goodBytes, firstFault);
    if (open.length > 0 && !follows(open.at(-1)!, datagram)) {
      throw damaged(name, goodBytes, "a commit has a gap");
    }
    open.push(datagram);
    openEnds.push(end);
    if (datagram.number < datagram.commit) return;
    for (const one of open) piece.datagrams.push(one);
    for (const one of openEnds) piece.ends.push(one);
    open = [];
    openEnds = [];
    goodBytes = end;
  };

  return {
    goodBytes: () => goodBytes,
    end() {
      if (notOurs) throw notOurs; // Not a single datagram of ours follows.
    },
    /** Reads whole records; returns how many bytes they have. */
    read(bytes: Uint8Array): { readonly piece: JournalPiece; readonly used: number } {
      const piece = { datagrams: [] as Datagram[], ends: [] as number[], from: goodBytes };
      const used = eachRecord(bytes, (record, to) => {
        const end = offset + to;
        if (offset === 0 && record.isFirst) {
          try {
            checkHeader("journal", record.units(), name);
            goodBytes = piece.from = end;
          } catch (error) {
            if (!(error instanceof AppError) || error.code !== "ledger_not_ours") throw error;
            firstFault = notOurs = error;
          }
          return;
        }
        let datagram: Datagram;
        try {
          datagram = record.datagram();
        } catch (error) {
          firstFault ??= error;
          return;
        }
        take(datagram, end, piece);
      });
      offset += used;
      return { piece, used };
    },
  };
}

/**
 * Everything readable in a damaged journal file. A commit counts if its end is readable; its
 * beginning may be lost.
 */
export function readDamagedFile(bytes: Uint8Array): readonly Datagram[] {
  const datagrams: Datagram[] = [];
  let open: Datagram[] = [];
  eachRecord(bytes, (record) => {
    let datagram: Datagram;
    try {
      datagram = record.datagram();
    } catch {
      open = [];
      return;
    }
    if (open.length > 0 && !follows(open.at(-1)!, datagram)) open = [];
    open.push(datagram);
    if (datagram.number < datagram.commit) return;
    datagrams.push(...open);
    open = [];
  });
  return datagrams;
}

/**
 * The datagrams in a piece of a journal file that contains only records. Throws for anything else.
 */
export function readDatagrams(bytes: Uint8Array): readonly Datagram[] {
  const datagrams: Datagram[] = [];
  eachRecord(bytes, (record) => void datagrams.push(record.datagram()));
  return datagrams;
}

export const isJournalDamaged = (error: unknown): boolean =>
  error instanceof AppError && error.code === "ledger_journal_damaged";

const follows = (before: Datagram, next: Datagram): boolean =>
  before.session === next.session &&
  before.commit === next.commit &&
  before.number + 1 === next.number;

interface FoundRecord {
  readonly isFirst: boolean;
  units(): readonly string[];
  datagram(): Datagram;
}

/** Returns how many bytes are whole records. */
function eachRecord(bytes: Uint8Array, use: (record: FoundRecord, to: number) => void): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = isAscii(buffer) ? buffer.toString("latin1") : undefined;
  const place = createPlace();
  for (let from = 0; ;) {
    const end = buffer.indexOf(recordEnd, from);
    if (end < 0) return from;
    const to = end + recordEnd.length;
    const start = from;
    const units = () => unitsOf(buffer.toString("utf8", start, to));
    use(
      {
        isFirst: from === 0,
        units,
        datagram: () =>
          text !== undefined && !hasEscape(text, start, end) && locate(text, start, end, place)
            ? checkedDatagramAt(text, place)
            : datagramOf(units()),
      },
      to,
    );
    from = to;
  }
}

function unitsOf(text: string): readonly string[] {
  let found: readonly string[] = [];
  eachOwnRecord(text, (units) => (found = units));
  return found;
}

function damaged(name: string, bytes: number, cause: unknown): AppError {
  const message =
    `${name} is damaged after byte ${bytes}, and there are good datagrams behind it: nothing was ` +
    `changed. Run \`forager ledger sync\`: it keeps what can be read, sets the damaged file aside ` +
    `and fetches the rest from the bucket. Without a bucket: restore the file from a backup, or ` +
    `continue without the unreadable part with \`forager ledger verify --accept-loss\``;
  return new AppError("corrupt", "ledger_journal_damaged", message, { cause });
}
