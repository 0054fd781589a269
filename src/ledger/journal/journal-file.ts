import { AppError } from "../../base/app-error.ts";
import { eachOwnRecord } from "../../usv/index.ts";
import { datagramOf } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { checkHeader } from "../file-header.ts";

export interface JournalFile {
  readonly datagrams: readonly Datagram[];
  /** Up to here it is whole commits; what follows was cut short by a crash. */
  readonly goodBytes: number;
}

/** A record of ours ends with these two bytes, and holds no control character but escaped symbols. */
const recordEnd = Buffer.from("\u001e\n");

/**
 * Reads a journal file. A tail that a crash left (half a record, half a commit, garbage with no
 * good record behind it) is not read, and told by `goodBytes`. Damage *before* good records is not
 * a crash: that throws `ledger_journal_damaged`, and nothing may be cut.
 */
export function readJournalFile(bytes: Uint8Array, name: string): JournalFile {
  const datagrams: Datagram[] = [];
  let open: Datagram[] = [];
  let goodBytes = 0;
  let firstFault: unknown;
  let notOurs: AppError | undefined;
  eachRecord(bytes, (units, { isFirst, to }) => {
    try {
      if (isFirst) {
        checkHeader("journal", units, name);
        goodBytes = to;
        return;
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "ledger_not_ours") throw error;
      firstFault = notOurs = error;
      return;
    }
    let datagram: Datagram;
    try {
      datagram = datagramOf(units);
    } catch (error) {
      firstFault ??= error;
      return;
    }
    if (firstFault) throw damaged(name, goodBytes, firstFault);
    if (open.length > 0 && !follows(open.at(-1)!, datagram)) {
      throw damaged(name, goodBytes, "a commit has a gap");
    }
    open.push(datagram);
    if (datagram.number < datagram.commit) return;
    datagrams.push(...open);
    open = [];
    goodBytes = to;
  });
  if (notOurs) throw notOurs; // without a single datagram of ours behind it
  return { datagrams, goodBytes };
}

/**
 * Everything in a damaged journal file that can be read. The end of a commit must be readable; its
 * beginning may be lost.
 */
export function readDamagedFile(bytes: Uint8Array): readonly Datagram[] {
  const datagrams: Datagram[] = [];
  let open: Datagram[] = [];
  eachRecord(bytes, (units) => {
    let datagram: Datagram;
    try {
      datagram = datagramOf(units);
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

export const isJournalDamaged = (error: unknown): boolean =>
  error instanceof AppError && error.code === "ledger_journal_damaged";

const follows = (before: Datagram, next: Datagram): boolean =>
  before.session === next.session &&
  before.commit === next.commit &&
  before.number + 1 === next.number;

function eachRecord(
  bytes: Uint8Array,
  use: (units: readonly string[], at: { readonly isFirst: boolean; readonly to: number }) => void,
): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; ;) {
    const end = buffer.indexOf(recordEnd, from);
    if (end < 0) return;
    const to = end + recordEnd.length;
    use(unitsOf(buffer.toString("utf8", from, to)), { isFirst: from === 0, to });
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
    `go on without what cannot be read with \`forager ledger verify --accept-loss\``;
  return new AppError("corrupt", "ledger_journal_damaged", message, { cause });
}
