import { AppError } from "../app-error.ts";

/**
 * The formats of all data that programs of different versions share: objects in a bucket, files of
 * a data folder, tables of a queue. Each number is the newest format that this version reads.
 *
 * Rules:
 * - Shared data contains its `format`, and `readableBy`: the lowest number that a version must know
 *   to read it. Such a version may also replace the data: it then writes its own format, without the
 *   members that it does not know. The default of `readableBy` is `format`: version 0.1 wrote none.
 * - A version adds members, tables and columns in such a way that the previous version can
 *   continue. Data that the previous version cannot read is written only after `forager fleet
 *   finish-upgrade`, which raises the number of the queue: in `queue.json` on a bucket,
 *   `readableBy` in a database. After that, the previous version is refused.
 * - `isReadable` refuses newer data; then nothing is changed.
 */
export const formats = {
  directoryBucket: { newest: 1, code: "bucket_newer" },
  postgresBucket: { newest: 1, code: "bucket_newer" },
  sharedObject: { newest: 1, code: "shared_object_newer" },
  lease: { newest: 1, code: "lease_newer" },
  usage: { newest: 1, code: "usage_newer" },
  /** 2: shards may have format 2, which the previous version cannot read. */
  queueManifest: { newest: 2, code: "queue_manifest_newer" },
  /** 2: the shard lists files of purged tasks and of their keys. */
  queueShard: { newest: 2, code: "queue_shard_newer" },
  queueLog: { newest: 1, code: "queue_log_newer" },
  node: { newest: 1, code: "ledger_newer" },
  head: { newest: 1, code: "ledger_newer" },
  checkpoint: { newest: 1, code: "ledger_newer" },
  boundary: { newest: 1, code: "ledger_newer" },
  ledgerFile: { newest: 1, code: "ledger_newer" },
} as const;

export type FormatName = keyof typeof formats;

/** The format numbers in shared data; not validated yet. */
export interface FormatMark {
  readonly format?: unknown;
  readonly readableBy?: unknown;
}

/** What objects of a format contain that no version with a lower number can read. */
export const markOf = (format: number) => ({ format, readableBy: format });

/**
 * False if there is no format, so that the data is not ours. Throws `invalid` if only newer
 * versions can read it.
 */
export function isReadable(name: FormatName, mark: FormatMark | undefined, where: string): boolean {
  const { newest, code } = formats[name];
  const { format, readableBy = format } = mark ?? {};
  if (!isNumber(format) || !isNumber(readableBy)) return false;
  if (readableBy > newest) throw newerFormat({ code, format, newest, where });
  return true;
}

/**
 * The same for files whose format is a name with a number, such as `forager-places/1`: throws
 * `invalid` if the name is that of `newest`, and the number is higher.
 */
export function refuseNewerName(
  found: unknown,
  {
    newest,
    code,
    where,
  }: { readonly newest: string; readonly code: string; readonly where: string },
): void {
  const [name, known] = newest.split("/");
  const [, foundName, number] = /^(.*)\/(\d{1,9})$/.exec(String(found)) ?? [];
  if (foundName !== name || Number(number) <= Number(known)) return;
  throw newerFormat({ code, format: Number(number), newest: Number(known), where });
}

/** The error for data that only newer versions can read. */
export function newerFormat(found: {
  readonly code: string;
  readonly format: number;
  readonly newest: number;
  readonly where: string;
}): AppError {
  const { code, format, newest, where } = found;
  const message =
    `${where} was made by a newer version (format ${format}, this one knows ${newest}): ` +
    `upgrade this program; nothing was changed`;
  return new AppError("invalid", code, message);
}

const isNumber = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 1;
