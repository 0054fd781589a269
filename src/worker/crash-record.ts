import { fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import type { LeaseRef } from "../queue/index.ts";
import { taskEnds, type TaskEnd } from "./kind-state.ts";

/**
 * What a supervisor has to know when its worker process dies: which leases the process held, which
 * of them had started, and how many of its tasks had ended in which way. Always:
 * - each step is written before it is taken, with a synchronous write into a file that both
 *   processes have open. The kernel keeps what was written even if the writer is killed in the next
 *   instant, so a task that is recorded as not started was not started. A message could be lost;
 * - a lease is either listed or counted, never both. It may be listed although its task has ended:
 *   then the queue tells how (see end-leases.ts);
 * - a record that could not be written is emptied: leases then run out, as without one.
 *
 * Layout: the claim that is under way, `WorkerInfo` as JSON, then slots of 64 bytes. A slot belongs
 * to one kind. It holds at most one lease, and counts how the leases that it held before ended. A
 * kill may cut a write in two, but only between two pages, and no slot is in two pages. So counting a
 * lease and removing it from the list is one step. Numbers are little-endian.
 */
export interface CrashRecord {
  /** Before a claim is sent. */
  claiming(claim: SentClaim): void;
  /** Before any of its tasks starts; the claim is answered. */
  claimed(leases: readonly RecordedLease[]): void;
  /** Before their handlers are called. */
  starting(leases: readonly RecordedLease[]): void;
  /** The queue has answered how it ended. `save` writes it. */
  ended(lease: RecordedLease, end: TaskEnd): void;
  /** Writes what ended since the last write; once for many. */
  save(): void;
}

export interface SentClaim {
  readonly requestId: string;
  readonly limit: number;
}

/** A lease as the worker has it, with its slot in the record. */
export interface RecordedLease {
  readonly lease: LeaseRef & {
    readonly kind: string;
    readonly used: number;
    readonly attemptsMax: number;
  };
  /** The attempts that the handler allows. */
  readonly attempts: number;
  /** -1: it has none. */
  slot: number;
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
const slotBytes = 64;
/** Of a slot: id, token, attempts used, attempts allowed, kind, whether it has started, counts. */
const at = {
  id: 0,
  token: 8,
  used: 16,
  attemptsMax: 18,
  kind: 20,
  hasStarted: 22,
  counts: 24,
} as const;

/** `writeAt`: for tests of a full disk. */
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
  /** Slots with an end that is not written yet. */
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

  /** All from the first to the last of them, so that many are one write. */
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
  write(infoLength, 0, 4, claimBytes); // last: without it there is no record

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

/** undefined: the process died before it wrote anything, or could not write. */
export function readInFlight(fd: number): InFlight | undefined {
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

/** Behind the claim and `WorkerInfo`, at the next multiple of a slot. */
const slotsAfter = (infoBytes: number): number =>
  Math.ceil((claimBytes + 4 + infoBytes) / slotBytes) * slotBytes;
