import { AppError } from "../../base/app-error.ts";
import { isReadable } from "../../base/formats.ts";

/**
 * What `lease/<name>.json` holds. Made once and never deleted, or the epoch would begin again.
 * Whoever writes under an epoch is fenced by it: it only ever rises, with each new holder.
 */
export interface LeaseRecord {
  readonly format: number;
  /** See `formats`. */
  readonly readableBy?: number;
  readonly epoch: number;
  readonly state: "held" | "released";
  /** For people: which node. */
  readonly owner: string;
  /** One life of one holder; never used again. */
  readonly session: string;
  /** Of this write alone: how a writer knows its own, and why no two contents are equal. */
  readonly nonce: string;
  readonly ttlMs: number;
  /** When this epoch began, by the holder's wall clock. For people only. */
  readonly sinceMs: number;
  /** Why it was released by someone else. */
  readonly reason?: string;
}

export const leaseKey = (name: string): string => `lease/${name}.json`;

export const encodeLease = (record: LeaseRecord): Uint8Array =>
  Buffer.from(`${JSON.stringify(record)}\n`);

/** Refuses what we did not write, and what a newer version wrote; neither is ever overwritten. */
export function decodeLease(body: Uint8Array, key: string): LeaseRecord {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString());
  } catch (cause) {
    throw foreign(key, cause);
  }
  if (typeof value !== "object" || value === null) throw foreign(key);
  const record = value as Partial<Record<keyof LeaseRecord, unknown>>;
  if (!isReadable("lease", record, key) || !isLease(record)) throw foreign(key);
  return record as LeaseRecord;
}

function isLease(record: Partial<Record<keyof LeaseRecord, unknown>>): boolean {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1;
  const isText = (value: unknown) => typeof value === "string";
  return (
    isCount(record.epoch) &&
    isCount(record.ttlMs) &&
    Number.isFinite(record.sinceMs) &&
    (record.state === "held" || record.state === "released") &&
    isText(record.owner) &&
    isText(record.session) &&
    isText(record.nonce)
  );
}

function foreign(key: string, cause?: unknown): AppError {
  const message =
    `${key} is not a lease, so something else writes to this bucket: look at it with ` +
    `\`forager bucket cat ADDRESS ${key}\`, and give forager a prefix of its own; nothing was changed`;
  return new AppError("corrupt", "lease_corrupt", message, { cause });
}
