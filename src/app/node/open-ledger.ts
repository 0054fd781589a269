import { hostname } from "node:os";
import { AppError } from "../../base/app-error.ts";
import { sleep, systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import type { Paths } from "../../config/index.ts";
import type { HubOptions, Ledger, LedgerOptions } from "../../ledger/index.ts";
import type { OwnerLock } from "../../node/index.ts";
import { openMeetingPoint } from "./meeting-point.ts";

export interface OpenLedgerOptions {
  readonly paths: Paths;
  readonly log: Logger;
}

/** Opens the ledger of a data folder that this process owns; creates it if necessary. */
export async function openOwnedLedger(
  options: OpenLedgerOptions & { readonly lock: OwnerLock },
): Promise<Ledger> {
  const { openFileDisk } = await import("../../ledger/adapters/file/file-disk.ts");
  const { openSqliteState } = await import("../../ledger/adapters/sqlite/sqlite-state.ts");
  const { paths, lock, log } = options;
  const openState = () => openSqliteState({ file: paths.resolve(stateFile), log });
  return openOn(await openFileDisk({ paths, lock }), { ...options, openState });
}

/** Derived from checkpoint and journals: see docs/formats/ledger.md. */
const stateFile = "index/ledger.db";

/** Opens the ledger read-only: without a lock, even if another process owns it. */
export async function openLedgerReader(options: OpenLedgerOptions): Promise<Ledger> {
  const { openFileDisk } = await import("../../ledger/adapters/file/file-disk.ts");
  const { openSqliteStateForReading } =
    await import("../../ledger/adapters/sqlite/read-sqlite-state.ts");
  const { paths, log } = options;
  const openState = () => openSqliteStateForReading({ file: paths.resolve(stateFile), log });
  return openOn(await openFileDisk({ paths }), { ...options, openState, isReader: true });
}

async function openOn(
  disk: Parameters<typeof import("../../ledger/index.ts").openLedger>[0]["disk"],
  options: OpenLedgerOptions & Pick<LedgerOptions, "openState" | "isReader">,
): Promise<Ledger> {
  const { openLedger } = await import("../../ledger/index.ts");
  const { log, openState, isReader = false } = options;
  const [clock, random, label] = [systemClock, systemRandom, hostname()];
  const state = openState && { openState };
  try {
    return await openLedger({ disk, clock, random, log, label, isReader, ...state });
  } catch (error) {
    await disk[Symbol.asyncDispose]();
    throw error;
  }
}

/** How long to wait for another process that is about to exit. */
const lockMsMax = 5_000;
const lockAgainMs = 20;

/**
 * Opens the ledger for a program that uses only the ledger: it owns the data folder until it closes
 * the ledger.
 */
export async function openExclusiveLedger(options: OpenLedgerOptions): Promise<Ledger> {
  const point = await openMeetingPoint(options);
  const endMs = systemClock.monotonicMs() + lockMsMax;
  for (;;) {
    const lock = point.tryLock();
    if (lock) {
      try {
        const ledger = await openOwnedLedger({ ...options, lock });
        const close = async () => {
          await ledger.close();
          lock[Symbol.dispose]();
        };
        return { ...ledger, close, [Symbol.asyncDispose]: close };
      } catch (error) {
        lock[Symbol.dispose]();
        throw error;
      }
    }
    if (systemClock.monotonicMs() > endMs) throw ledgerInUse(options.paths.root());
    await sleep(systemClock, lockAgainMs);
  }
}

const ledgerInUse = (folder: string) =>
  new AppError(
    "unavailable",
    "ledger_in_use",
    `another process owns the data folder ${folder}: stop it, or open the ledger with isReader to read only`,
  );

/**
 * What the last sync of this data folder could not use in its bucket; undefined if there is no
 * ledger yet. Reads one small file.
 */
export async function readSyncFaults(
  paths: Pick<Paths, "resolve">,
): Promise<readonly string[] | undefined> {
  const { readNodeFile } = await import("../../ledger/index.ts");
  const { openFileDisk } = await import("../../ledger/adapters/file/file-disk.ts");
  await using disk = await openFileDisk({ paths });
  const file = await readNodeFile(disk);
  return file && (file.faults ?? []);
}

/**
 * The parts that a hub uses here: it folds on disk, so size is not limited by memory, and in
 * threads.
 */
export async function hubPartsIn(
  paths: Pick<Paths, "resolve">,
): Promise<Pick<HubOptions, "openSpill" | "openFoldWorker">> {
  const { createFileSpill } = await import("../../ledger/adapters/file/file-spill.ts");
  const { createThreadFoldWorker } =
    await import("../../ledger/adapters/threads/thread-fold-worker.ts");
  const folder = paths.resolve("ledger/spill");
  return {
    openSpill: () => createFileSpill({ folder, random: systemRandom }),
    openFoldWorker: () => createThreadFoldWorker(),
  };
}
