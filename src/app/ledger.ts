/**
 * The entry point of `forager/ledger`: facts that replicate field by field, stored in a folder and
 * a bucket.
 */
import "../base/process/require-node.ts";
import { silentLogger, type Logger } from "../base/log/logger.ts";
import { createPaths } from "../config/index.ts";
import type { HubOptions, Ledger } from "../ledger/index.ts";
import { hubPartsIn, openExclusiveLedger, openLedgerReader } from "./node/open-ledger.ts";

export * from "../ledger/index.ts";
export { AppError, type ErrorKind } from "../base/app-error.ts";
export { systemClock, type Clock, type Timer } from "../base/clock.ts";
export { silentLogger, type LogFields, type Logger } from "../base/log/logger.ts";
export { systemRandom, type Random } from "../base/random.ts";
export type { Service } from "../base/service.ts";
export type { Bucket } from "../bucket/index.ts";
export { openBucket } from "./bucket/open-bucket.ts";

export interface OpenLedgerFolderOptions {
  /** The folder of the ledger; created if it does not exist. */
  readonly folder: string;
  readonly log?: Logger;
  /** Read-only: works while another process writes. */
  readonly isReader?: boolean;
}

/**
 * Opens the ledger of a folder. One process at a time can write: throws `ledger_in_use` if another
 * process owns the folder and does not exit within five seconds.
 */
export function openLedgerFolder(options: OpenLedgerFolderOptions): Promise<Ledger> {
  const { folder, log = silentLogger, isReader = false } = options;
  const given = { paths: createPaths(folder), log };
  return isReader ? openLedgerReader(given) : openExclusiveLedger(given);
}

/** The parts that `createHub` needs to fold on the disk of a folder, and in threads. */
export function openHubParts({
  folder,
}: {
  readonly folder: string;
}): Promise<Pick<HubOptions, "openSpill" | "openFoldWorker">> {
  return hubPartsIn(createPaths(folder));
}
