import { AppError, assert } from "../../base/app-error.ts";

/**
 * A moment of a hybrid logical clock, as text of fixed width: `2026-11-15T19:02:03.004Z-0007`, the
 * UTC time in milliseconds and a counter in hexadecimal. A writer that has seen a stamp writes a
 * greater one, and the order of the text is the order of the stamps.
 */
export type Stamp = string;

/** The state of such a clock: the last stamp that it gave or saw. */
export interface HybridTime {
  readonly ms: number;
  readonly counter: number;
}

export const counterMax = 0xffff;
/** 9999-12-31: a later year has more digits. */
const msMax = 253_402_300_799_999;
/** How far ahead of the time a stamp may be before its datagram is held back. */
export const aheadMsMax = 60_000;

export const noTime: HybridTime = { ms: 0, counter: 0 };

/**
 * The next moment: later than all before, and not before the physical clock. More than `counterMax`
 * + 1 moments in one millisecond continue in the next millisecond, ahead of the clock.
 */
export function tick(last: HybridTime, physicalMs: number): HybridTime {
  const wallMs = Math.min(Math.max(0, Math.floor(physicalMs)), msMax);
  if (wallMs > last.ms) return { ms: wallMs, counter: 0 };
  if (last.counter < counterMax) return { ms: last.ms, counter: last.counter + 1 };
  assert(last.ms < msMax, "the clock has reached the end of the year 9999");
  return { ms: last.ms + 1, counter: 0 };
}

/** Notes another node's stamp: the next moment will be later than it. */
export function witness(last: HybridTime, seen: HybridTime): HybridTime {
  return compareTimes(seen, last) > 0 ? seen : last;
}

/** Stamps after this one are ahead of the time. */
export const aheadOf = (physicalMs: number): Stamp =>
  lastStampAt(Math.min(msMax, Math.floor(physicalMs) + aheadMsMax));

export const isAhead = (stamp: Stamp, physicalMs: number): boolean => stamp > aheadOf(physicalMs);

export const compareTimes = (a: HybridTime, b: HybridTime): number =>
  a.ms - b.ms || a.counter - b.counter;

export function stampOf({ ms, counter }: HybridTime): Stamp {
  return `${isoOf(ms)}-${counter.toString(16).padStart(4, "0")}`;
}

const isoLength = "2026-11-15T19:02:03.004Z".length;
const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z-[0-9a-f]{4}$/;

export function parseStamp(text: string): HybridTime {
  const ms = pattern.test(text) ? Date.parse(text.slice(0, isoLength)) : NaN;
  // Date.parse reads 30 February as a day in March, so compare with the text that we would write.
  if (Number.isNaN(ms) || isoOf(ms) !== text.slice(0, isoLength)) {
    const message = `"${text.slice(0, 60)}" is not a stamp such as 2026-11-15T19:02:03.004Z-0007`;
    throw new AppError("invalid", "ledger_stamp", message);
  }
  return { ms, counter: parseInt(text.slice(isoLength + 1), 16) };
}

/** `20261115`, in UTC: the day of a journal file. */
export const dayOf = (stamp: Stamp): string =>
  stamp.slice(0, 4) + stamp.slice(5, 7) + stamp.slice(8, 10);

/** The greatest stamp of that moment of the physical clock. */
export const lastStampAt = (ms: number): Stamp => stampOf({ ms, counter: counterMax });

const isoOf = (ms: number) => new Date(ms).toISOString();
