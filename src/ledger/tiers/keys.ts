/** The keys of the ledger's objects in a bucket. Every id in a key was checked before. */
const digits = 12;
const numbered = (number: number) => String(number).padStart(digits, "0");

/** A segment is named by the number of its first datagram, so the next key is known. */
export const segmentKey = (session: string, first: number): string =>
  `ledger/wal/${session}/${numbered(first)}.usv`;
export const segmentsPrefix = "ledger/wal/";

export const archiveKey = (key: string): string =>
  `ledger/archive/${key.slice(segmentsPrefix.length)}`;
export const archivePrefix = "ledger/archive/";

/** Holds the stamp of the last forgetting for which the archive was rewritten. */
export const scrubbedKey = "ledger/archive-scrubbed";

export const headKey = (node: string): string => `ledger/heads/${node}.json`;
export const headsPrefix = "ledger/heads/";

export const manifestKey = (number: number): string => `ledger/checkpoint/${numbered(number)}.json`;
export const manifestsPrefix = "ledger/checkpoint/";

export const partKey = (name: string): string => `ledger/part/${name}`;
export const partsPrefix = "ledger/part/";

export const boundaryKey = "ledger/boundary.json";
export const hubLease = "ledger-hub";

/** Session (`node/session`) and first number of a segment's key. */
export function parseSegmentKey(key: string): { session: string; first: number } | undefined {
  const found = /^ledger\/wal\/([0-9a-z]{13}\/[0-9a-z]{26})\/(\d{12})\.usv$/.exec(key);
  return found ? { session: found[1]!, first: Number(found[2]) } : undefined;
}

export function parseManifestKey(key: string): number | undefined {
  const found = /^ledger\/checkpoint\/(\d{12})\.json$/.exec(key);
  return found ? Number(found[1]) : undefined;
}

/**
 * Where the hub records that it made a checkpoint. Such a record alone does not require another
 * checkpoint.
 */
export const checkpointTarget = "system/checkpoint";
