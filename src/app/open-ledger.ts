import { hostname } from "node:os";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import type { Paths } from "../config/index.ts";
import type { HubOptions, Ledger, LedgerDisk } from "../ledger/index.ts";

export interface OpenLedgerOptions {
  readonly paths: Paths;
  readonly log: Logger;
  /** Only looks: then a writer may run beside it. */
  readonly isReader?: boolean;
}

/**
 * Opens the ledger of a data folder; makes it where there is none, unless only to look. Several
 * processes may have it open and write: one holds it, the others go through that one's door.
 */
export async function openLedgerIn(options: OpenLedgerOptions): Promise<Ledger> {
  const { paths, log, isReader = false } = options;
  const { openLedger } = await import("../ledger/index.ts");
  const { openFileDisk } = await import("../ledger/adapters/file/file-disk.ts");
  const [clock, random, label] = [systemClock, systemRandom, hostname()];
  const openOn = async (disk: LedgerDisk) => {
    try {
      return await openLedger({ disk, clock, random, log, label, isReader });
    } catch (error) {
      await disk[Symbol.asyncDispose]();
      throw error;
    }
  };
  if (isReader) return openOn(await openFileDisk({ paths, isReader }));
  const { openSharedLedger } = await import("../ledger/adapters/door/shared-ledger.ts");
  const { standIn } = await import("../ledger/adapters/door/stand.ts");
  const openHeld = async (lock: Disposable) => openOn(await openFileDisk({ paths, lock }));
  const { pid } = process;
  return openSharedLedger({ clock, stand: standIn({ paths, clock, random, log, openHeld, pid }) });
}

/**
 * What the last sync of this data folder could not use in its bucket; undefined where there is no
 * ledger yet. Reads one small file.
 */
export async function readSyncFaults(
  paths: Pick<Paths, "resolve">,
): Promise<readonly string[] | undefined> {
  const { readNodeFile } = await import("../ledger/index.ts");
  const { openFileDisk } = await import("../ledger/adapters/file/file-disk.ts");
  await using disk = await openFileDisk({ paths, isReader: true });
  const file = await readNodeFile(disk);
  return file && (file.faults ?? []);
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
