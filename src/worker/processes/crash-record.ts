import { fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import type { LeaseRef } from "../../queue/index.ts";
import { taskEnds, type TaskEnd } from "../tasks/kind-state.ts";

/**
 * Tells a supervisor, when its worker process dies, which leases the process held, which of these
 * tasks had started, and how many tasks had ended in which way. Invariants:
 * - each step is recorded before it is taken, with a synchronous write to a file that both processes
 *   have open. The kernel keeps the data even if the writer is killed right after the write, so a
 *   task that is recorded as not started was not started. A message to the supervisor could be lost
 *   instead;
 * - a lease is either listed or counted, never both. It may still be listed after its task has
 *   ended: then the supervisor asks the queue how it ended (see end-leases.ts);
 * - if a write fails, the record is emptied. Then the leases expire, as without a record.
 *
 * Layout: the claim in progress, `WorkerInfo` as JSON, then slots of 64 bytes. A slot belongs to one
 * kind. It holds at most one lease, and counts how its earlier leases ended. A kill may interrupt a
 * write, but only at a page boundary, and no slot crosses one. So a lease is counted and removed
 * from the list in one step. Numbers are little-endian.
 */
export interface CrashRecord {
  /** Call before a claim is sent. */
  claiming(claim: SentClaim): void;
  /** Call when the claim is answered, before any of its tasks starts. */
  claimed(leases: readonly RecordedLease[]): void;
  /** Call before the handlers of these tasks are called. */
  starting(leases: readonly RecordedLease[]): void;
  /** Call when the queue has answered how the task ended. `save` writes it. */
  ended(lease: RecordedLease, end: TaskEnd): void;
  /** Writes all ends since the last `save`, in one write. */
  save(): void;
}

export interface SentClaim {
  readonly requestId: string;
  readonly limit: number;
}

/** A lease that the worker holds, with its slot in the record. */
export interface RecordedLease {
  readonly lease: LeaseRef & {
    readonly kind: string;
    readonly used: number;
    readonly attemptsMax: number;
  };
  /** The handler's limit on attempts. */
  readonly attempts: number;
  /** -1: it has no slot. */
  slot: number;
}

export interface WorkerInfo {
  readonly worker: string;
  readonly kinds: readonly string[];
  readonly burst: number;
  readonly leaseMs: number;
}

/** The state of a process when it died. */
export interface CrashedWork extends WorkerInfo {
  /** A claim that was sent and perhaps not answered: it may have leased tasks. */
  readonly claim: SentClaim | undefined;
  readonly leases: readonly InFlightLease[];
  readonly ended: readonly EndedCount[];
}

export interface InFlightLease extends LeaseRef {
  readonly kind: string;
  readonly used: number;
  /** The lower of the task's limit and its handler's. */
  readonly attemptsMax: number;
  readonly hasStarted: boolean;
}

export interface EndedCount {
  readonly kind: string;
  readonly end: TaskEnd;
  readonly count: number;
}

const claimBytes = 256;
const slotBytes = 64;
/** Offsets of the fields in a slot. `counts` has one number for each of `taskEnds`. */
const at = {
  id: 0,
  token: 8,
  used: 16,
  attemptsMax: 18,
  kind: 20,
  hasStarted: 22,
  counts: 24,
} as const;

/** `writeAt` lets tests simulate a full disk. */
export function createCrashRecord(
  fd: number,
  info: WorkerInfo,
  writeAt: typeof writeSync = writeSync,
): CrashRecord {
  const infoText = Buffer.from(JSON.stringify(info));
  const slotsAt = slotsAfter(infoText.length);
  const kindAt = new Map(info.kinds.map((kind, index) => [kind, index]));
  const endAt = new Map(taskEnds.map((end, index) => [end, index]));
  const claim = Buffer.alloc(claimBytes);
  let slots = Buffer.alloc(64 * slotBytes);
  let used = 0;
  /** Free slots of each kind. */
  const free = info.kinds.map((): number[] => []);
  /** Slots with an end that is not yet written to the file. */
  let unsaved: number[] = [];
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

  /** Writes all slots from the first to the last of these in one write. */
  function writeSlots(numbers: readonly number[]): void {
    if (numbers.length === 0) return;
    let [first, last] = [Infinity, 0];
    for (const slot of numbers) {
      first = Math.min(first, slot);
      last = Math.max(last, slot);
    }
    const from = first * slotBytes;
    write(slots, from, (last + 1) * slotBytes, slotsAt + from);
  }

  function place(one: RecordedLease): void {
    const { id, token, kind, used: attempt, attemptsMax } = one.lease;
    const kindIndex = kindAt.get(kind)!;
    one.slot = free[kindIndex]!.pop() ?? used++;
    if (used * slotBytes > slots.length) {
      slots = Buffer.concat([slots, Buffer.alloc(slots.length)]);
    }
    const start = one.slot * slotBytes;
    slots.writeDoubleLE(id, start + at.id);
    slots.writeDoubleLE(token, start + at.token);
    slots.writeUInt16LE(attempt, start + at.used);
    slots.writeUInt16LE(Math.ceil(Math.min(attemptsMax, one.attempts)), start + at.attemptsMax);
    slots.writeUInt16LE(kindIndex, start + at.kind);
    slots.writeUInt16LE(0, start + at.hasStarted);
  }

  function setClaim(sent: SentClaim | undefined): void {
    const length = sent ? claim.write(sent.requestId, 8, "latin1") : 0;
    claim.writeUInt32LE(length, 0);
    claim.writeUInt32LE(sent?.limit ?? 0, 4);
    write(claim, 0, 8 + length, 0);
  }

  setClaim(undefined);
  write(infoText, 0, infoText.length, claimBytes + 4);
  const infoLength = Buffer.alloc(4);
  infoLength.writeUInt32LE(infoText.length);
  write(infoLength, 0, 4, claimBytes); // written last: without it the record does not count

  return {
    claiming: setClaim,
    claimed(leases) {
      for (const one of leases) place(one);
      writeSlots(leases.map(({ slot }) => slot));
      setClaim(undefined);
    },
    starting(leases) {
      for (const { slot } of leases) slots.writeUInt16LE(1, slot * slotBytes + at.hasStarted);
      writeSlots(leases.map(({ slot }) => slot));
    },
    ended(one, end) {
      if (one.slot < 0) return;
      const start = one.slot * slotBytes;
      slots.writeDoubleLE(0, start + at.id);
      const countAt = start + at.counts + 4 * endAt.get(end)!;
      slots.writeUInt32LE(slots.readUInt32LE(countAt) + 1, countAt);
      free[slots.readUInt16LE(start + at.kind)]!.push(one.slot);
      unsaved.push(one.slot);
      one.slot = -1;
    },
    save() {
      writeSlots(unsaved);
      unsaved = [];
    },
  };
}

/** undefined: the process died before it wrote the record, or a write failed. */
export function readInFlight(fd: number): CrashedWork | undefined {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  const size = readSync(fd, bytes, 0, bytes.length, 0);
  if (size < claimBytes + 4) return undefined;
  const infoBytes = bytes.readUInt32LE(claimBytes);
  if (infoBytes === 0) return undefined;
  const text = bytes.toString("utf8", claimBytes + 4, claimBytes + 4 + infoBytes);
  const info = JSON.parse(text) as WorkerInfo;
  const idBytes = bytes.readUInt32LE(0);
  const claim = {
    requestId: bytes.toString("latin1", 8, 8 + idBytes),
    limit: bytes.readUInt32LE(4),
  };
  const leases: InFlightLease[] = [];
  const counts = info.kinds.map(() => taskEnds.map(() => 0));
  for (let start = slotsAfter(infoBytes); start + slotBytes <= size; start += slotBytes) {
    const kind = bytes.readUInt16LE(start + at.kind);
    for (const end of taskEnds.keys()) {
      counts[kind]![end]! += bytes.readUInt32LE(start + at.counts + 4 * end);
    }
    const id = bytes.readDoubleLE(start + at.id);
    if (id === 0) continue;
    leases.push({
      id,
      token: bytes.readDoubleLE(start + at.token),
      used: bytes.readUInt16LE(start + at.used),
      attemptsMax: bytes.readUInt16LE(start + at.attemptsMax),
      kind: info.kinds[kind]!,
      hasStarted: bytes.readUInt16LE(start + at.hasStarted) === 1,
    });
  }
  const ended = info.kinds.flatMap((kind, index) =>
    taskEnds
      .map((end, place): EndedCount => ({ kind, end, count: counts[index]![place]! }))
      .filter(({ count }) => count > 0),
  );
  return { ...info, claim: idBytes > 0 ? claim : undefined, leases, ended };
}

/** Where the slots start: after the claim and `WorkerInfo`, at a multiple of the slot size. */
const slotsAfter = (infoBytes: number): number =>
  Math.ceil((claimBytes + 4 + infoBytes) / slotBytes) * slotBytes;
