import { hostname } from "node:os";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import type { Paths } from "../config/index.ts";
import { openLedger, type HubOptions, type Ledger } from "../ledger/index.ts";

export interface OpenLedgerOptions {
  readonly paths: Paths;
  readonly log: Logger;
  /** Only looks: then a writer may run beside it. */
  readonly isReader?: boolean;
}

/** Opens the ledger of a data folder; makes it where there is none, unless only to look. */
export async function openLedgerIn(options: OpenLedgerOptions): Promise<Ledger> {
  const { paths, log, isReader = false } = options;
  const { openFileDisk } = await import("../ledger/adapters/file/file-disk.ts");
  const disk = await openFileDisk({ paths, isReader });
  const [clock, random, label] = [systemClock, systemRandom, hostname()];
  try {
    return await openLedger({ disk, clock, random, log, label, isReader });
  } catch (error) {
    await disk[Symbol.asyncDispose]();
    throw error;
  }
}

/** What a hub works with here: it folds through the disk, so size is no matter, and in threads. */
export async function hubPartsIn(
  paths: Pick<Paths, "resolve">,
): Promise<Pick<HubOptions, "openSpill" | "openMill">> {
  const { createFileSpill } = await import("../ledger/adapters/file/file-spill.ts");
  const { createThreadMill } = await import("../ledger/adapters/threads/thread-mill.ts");
  const folder = paths.resolve("ledger/spill");
  return {
    openSpill: () => createFileSpill({ folder, random: systemRandom }),
    openMill: () => createThreadMill(),
  };
}
