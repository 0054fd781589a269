import { AppError } from "../../base/app-error.ts";
import { isReadable } from "../../base/text/formats.ts";

/**
 * The content of `lease/<name>.json`. The object is created once and never deleted, because
 * otherwise the epoch would start again. The epoch rises with each new owner, so it fences writes
 * of earlier owners.
 */
export interface LeaseRecord {
  readonly format: number;
  /** See `formats`. */
  readonly readableBy?: number;
  readonly epoch: number;
  readonly state: "held" | "released";
  /** The node that holds it; for people. */
  readonly owner: string;
  /** Identifies one run of one owner; never used again. */
  readonly session: string;
  /**
   * Identifies this write, so that a writer recognises its own write and no two contents are equal.
   */
  readonly nonce: string;
  readonly ttlMs: number;
  /** When this epoch began, by the owner's wall clock. For people only. */
  readonly sinceMs: number;
  /** Why another node released it. */
  readonly reason?: string;
}

export const leaseKey = (name: string): string => `lease/${name}.json`;

export const encodeLease = (record: LeaseRecord): Uint8Array =>
  Buffer.from(`${JSON.stringify(record)}\n`);

/** Refuses content that is not ours or that a newer version wrote; neither is ever overwritten. */
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
