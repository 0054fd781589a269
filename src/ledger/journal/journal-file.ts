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
 * a crash: that throws `corrupt`, and nothing may be cut.
 */
export function readJournalFile(bytes: Uint8Array, name: string): JournalFile {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const datagrams: Datagram[] = [];
  let open: Datagram[] = [];
  let goodBytes = 0;
  let firstFault: unknown;
  let isHeader = true;
  for (let from = 0; ;) {
    const end = buffer.indexOf(recordEnd, from);
    if (end < 0) break;
    const to = end + recordEnd.length;
    const units = unitsOf(buffer.toString("utf8", from, to));
    from = to;
    if (isHeader) {
      checkHeader("journal", units, name);
      isHeader = false;
      goodBytes = to;
      continue;
    }
    let datagram: Datagram;
    try {
      datagram = datagramOf(units);
    } catch (error) {
      firstFault ??= error;
      continue;
    }
    if (firstFault) throw damaged(name, goodBytes, firstFault);
    const before = open.at(-1);
    if (before && (before.commit !== datagram.commit || before.number + 1 !== datagram.number)) {
      throw damaged(name, goodBytes, "a commit has a gap");
    }
    open.push(datagram);
    if (datagram.number < datagram.commit) continue;
    datagrams.push(...open);
    open = [];
    goodBytes = to;
  }
  return { datagrams, goodBytes };
}

function unitsOf(text: string): readonly string[] {
  let found: readonly string[] = [];
  eachOwnRecord(text, (units) => (found = units));
  return found;
}

function damaged(name: string, bytes: number, cause: unknown): AppError {
  const message =
    `${name} is damaged after byte ${bytes}, and there are good datagrams behind it: nothing was ` +
    `cut. Restore the file. Or move it away and run \`forager ledger sync\` before anything is ` +
    `written: that fetches what the bucket has`;
  return new AppError("corrupt", "ledger_journal_damaged", message, { cause });
}
