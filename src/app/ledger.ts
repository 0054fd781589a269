/** The door of `forager/ledger`: facts that replicate field by field, in a folder and by a bucket. */
import "../base/require-node.ts";
import { silentLogger, type Logger } from "../base/logger.ts";
import { createPaths } from "../config/index.ts";
import type { HubOptions, Ledger } from "../ledger/index.ts";
import { hubPartsIn, openLedgerIn } from "./open-ledger.ts";

export * from "../ledger/index.ts";
export { AppError, type ErrorKind } from "../base/app-error.ts";
export { systemClock, type Clock, type Timer } from "../base/clock.ts";
export { silentLogger, type LogFields, type Logger } from "../base/logger.ts";
export { systemRandom, type Random } from "../base/random.ts";
export type { Service } from "../base/service.ts";
export type { Bucket } from "../bucket/index.ts";
export { openBucket } from "./open-bucket.ts";

export interface OpenLedgerFolderOptions {
  /** Where the ledger is; made where there is none. Several processes may write to it at once. */
  readonly folder: string;
  readonly log?: Logger;
  /** Only looks: then a writer may run beside it. */
  readonly isReader?: boolean;
}

/**
 * Opens the ledger of a folder. Where another process has it open, that one does the writing for
 * both; throws `ledger_in_use` where that one does not answer.
 */
export function openLedgerFolder(options: OpenLedgerFolderOptions): Promise<Ledger> {
  const { folder, log = silentLogger, isReader = false } = options;
  return openLedgerIn({ paths: createPaths(folder), log, isReader });
}

/** What `createHub` takes beside the rest to fold through the disk of a folder, and in threads. */
export function openHubParts({
  folder,
}: {
  readonly folder: string;
}): Promise<Pick<HubOptions, "openSpill" | "openMill">> {
  return hubPartsIn(createPaths(folder));
}
