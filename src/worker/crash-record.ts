import { fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import type { LeaseRef } from "../queue/index.ts";
import { taskEnds, type TaskEnd } from "./kind-state.ts";

/**
 * What a supervisor has to know when its worker process dies: which leases the process held, which
 * of them had started, and what it had counted. Always:
 * - each step is written before it is taken, with a synchronous write into a file that both
 *   processes have open. The kernel keeps what was written even if the writer is killed in the next
 *   instant, so a task that is recorded as not started was not started. A message could be lost;
 * - an entry may be out of date the other way round: its task has ended since. The queue tells by
 *   the token, and answers `lost`;
 * - a record that could not be written is emptied: leases then run out, as without one.
 *
 * Layout: the claim that is under way, `WorkerInfo` as JSON, counts of ended tasks by kind and end,
 * one entry for each lease. Numbers are little-endian.
 */
export interface CrashRecord {
  /** Before a claim is sent. */
  claiming(claim: SentClaim): void;
  /** Before any of its tasks starts; the claim is answered. */
  claimed(leases: readonly RecordedLease[]): void;
  /** Before their handlers are called. */
  starting(leases: readonly RecordedLease[]): void;
  left(lease: RecordedLease): void;
  counted(kind: string, end: TaskEnd): void;
  /** Writes what was counted; once for many. */
  saveCounts(): void;
  /** The worker has stopped: what is left here could not be given back. */
  end(): void;
}

export interface SentClaim {
  readonly requestId: string;
  readonly limit: number;
}

/** A lease as the worker has it, with its place in the record. */
export interface RecordedLease {
  readonly lease: LeaseRef & {
    readonly kind: string;
    readonly used: number;
    readonly attemptsMax: number;
  };
  /** The attempts that the handler allows. */
  readonly attempts: number;
  /** -1: it has none. */
  recordAt: number;
}

export interface WorkerInfo {
  readonly worker: string;
  readonly kinds: readonly string[];
  readonly burst: number;
  readonly leaseMs: number;
}

/** What a process had when it died. */
export interface InFlight extends WorkerInfo {
  /** Sent, and perhaps not answered: it may have leased tasks. */
  readonly claim: SentClaim | undefined;
  readonly leases: readonly InFlightLease[];
  readonly ended: readonly EndedCount[];
}

export interface InFlightLease extends LeaseRef {
  readonly kind: string;
  readonly used: number;
  /** The lower of the task's and its handler's. */
  readonly attemptsMax: number;
  readonly hasStarted: boolean;
}

export interface EndedCount {
  readonly kind: string;
  readonly end: TaskEnd;
  readonly count: number;
}

const claimBytes = 256;
const entryBytes = 24;
/** Of an entry: id, token, attempts used, attempts allowed, kind, whether it has started. */
const at = { id: 0, token: 8, used: 16, attemptsMax: 18, kind: 20, hasStarted: 22 } as const;

/** `writeAt`: for tests of a full disk. */
export function createCrashRecord(
  fd: number,
  info: WorkerInfo,
  writeAt: typeof writeSync = writeSync,
): CrashRecord {
  const infoText = Buffer.from(JSON.stringify(info));
  const { countsAt, entriesAt } = layoutOf(info, infoText.length);
  const kindAt = new Map(info.kinds.map((kind, index) => [kind, index]));
  const counts = Buffer.alloc(entriesAt - countsAt);
  const endAt = new Map(taskEnds.map((end, index) => [end, index]));
  const claim = Buffer.alloc(claimBytes);
  let entries = Buffer.alloc(64 * entryBytes);
  let used = 0;
  const free: number[] = [];
  let isBroken = false;

  function write(bytes: Uint8Array, from: number, to: number, position: number): void {
    if (isBroken) return;
    try {
      writeAt(fd, bytes, from, to - from, position);
    } catch {
      isBroken = true;
      ftruncateSync(fd, 0);
    }
  }

  /** All from the first to the last of them, so that many are one write. */
  function writeEntries(leases: readonly RecordedLease[]): void {
    if (leases.length === 0) return;
    let [first, last] = [Infinity, 0];
    for (const { recordAt } of leases) {
      first = Math.min(first, recordAt);
      last = Math.max(last, recordAt);
    }
    const from = first * entryBytes;
    write(entries, from, (last + 1) * entryBytes, entriesAt + from);
  }

  function place(one: RecordedLease): void {
    one.recordAt = free.pop() ?? used++;
    if (used * entryBytes > entries.length) {
      entries = Buffer.concat([entries, Buffer.alloc(entries.length)]);
    }
    const { id, token, kind, used: attempt, attemptsMax } = one.lease;
    const start = one.recordAt * entryBytes;
    entries.writeDoubleLE(id, start + at.id);
    entries.writeDoubleLE(token, start + at.token);
    entries.writeUInt16LE(attempt, start + at.used);
    entries.writeUInt16LE(Math.ceil(Math.min(attemptsMax, one.attempts)), start + at.attemptsMax);
    entries.writeUInt16LE(kindAt.get(kind)!, start + at.kind);
    entries.writeUInt16LE(0, start + at.hasStarted);
  }

  function setClaim(sent: SentClaim | undefined): void {
    const length = sent ? claim.write(sent.requestId, 8, "latin1") : 0;
    claim.writeUInt32LE(length, 0);
    claim.writeUInt32LE(sent?.limit ?? 0, 4);
    write(claim, 0, 8 + length, 0);
  }

  setClaim(undefined);
  const saveCounts = () => write(counts, 0, counts.length, countsAt);
  saveCounts();
  write(infoText, 0, infoText.length, claimBytes + 4);
  const infoLength = Buffer.alloc(4);
  infoLength.writeUInt32LE(infoText.length);
  write(infoLength, 0, 4, claimBytes); // last: without it there is no record

  return {
    claiming: setClaim,
    claimed(leases) {
      for (const one of leases) place(one);
      writeEntries(leases);
      setClaim(undefined);
    },
    starting(leases) {
      for (const one of leases) {
        entries.writeUInt16LE(1, one.recordAt * entryBytes + at.hasStarted);
      }
      writeEntries(leases);
    },
    left(one) {
      if (one.recordAt < 0) return;
      entries.fill(0, one.recordAt * entryBytes, (one.recordAt + 1) * entryBytes);
      free.push(one.recordAt);
      one.recordAt = -1;
    },
    counted(kind, end) {
      const start = 8 * (kindAt.get(kind)! * taskEnds.length + endAt.get(end)!);
      counts.writeDoubleLE(counts.readDoubleLE(start) + 1, start);
    },
    saveCounts,
    end() {
      saveCounts();
      write(entries, 0, used * entryBytes, entriesAt);
    },
  };
}

/** undefined: the process died before it wrote anything, or could not write. */
export function readInFlight(fd: number): InFlight | undefined {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  const size = readSync(fd, bytes, 0, bytes.length, 0);
  if (size < claimBytes + 4) return undefined;
  const infoBytes = bytes.readUInt32LE(claimBytes);
  if (infoBytes === 0) return undefined;
  const text = bytes.toString("utf8", claimBytes + 4, claimBytes + 4 + infoBytes);
  const info = JSON.parse(text) as WorkerInfo;
  const { countsAt, entriesAt } = layoutOf(info, infoBytes);
  const idBytes = bytes.readUInt32LE(0);
  const claim = {
    requestId: bytes.toString("latin1", 8, 8 + idBytes),
    limit: bytes.readUInt32LE(4),
  };
  const ended: EndedCount[] = [];
  for (const [index, kind] of info.kinds.entries()) {
    for (const [place, end] of taskEnds.entries()) {
      const count = bytes.readDoubleLE(countsAt + 8 * (index * taskEnds.length + place));
      if (count > 0) ended.push({ kind, end, count });
    }
  }
  const leases: InFlightLease[] = [];
  for (let start = entriesAt; start + entryBytes <= size; start += entryBytes) {
    const id = bytes.readDoubleLE(start + at.id);
    if (id === 0) continue;
    leases.push({
      id,
      token: bytes.readDoubleLE(start + at.token),
      used: bytes.readUInt16LE(start + at.used),
      attemptsMax: bytes.readUInt16LE(start + at.attemptsMax),
      kind: info.kinds[bytes.readUInt16LE(start + at.kind)]!,
      hasStarted: bytes.readUInt16LE(start + at.hasStarted) === 1,
    });
  }
  return { ...info, claim: idBytes > 0 ? claim : undefined, leases, ended };
}

function layoutOf({ kinds }: WorkerInfo, infoBytes: number) {
  const countsAt = claimBytes + 4 + infoBytes;
  return { countsAt, entriesAt: countsAt + 8 * kinds.length * taskEnds.length };
}
