import { AppError } from "../../../base/app-error.ts";
import { sleep, type Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/logger.ts";
import type { Random } from "../../../base/random.ts";
import type { Paths } from "../../../config/index.ts";
import type { Ledger } from "../../ledger.ts";
import { lockFileOf, makeLedgerFolder } from "../file/file-disk.ts";
import { tryLockFolder } from "../file/folder-lock.ts";
import { makeToken, readDoorFile, removeDoorFile, writeDoorFile } from "./door-file.ts";
import { knock } from "./door-guest.ts";
import { openDoor } from "./door.ts";
import type { Guest, Holder, SharedLedgerOptions } from "./shared-ledger.ts";

export interface StandOptions {
  readonly paths: Pick<Paths, "resolve">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Opens the ledger under a lock that was taken; disposing of it frees the lock. */
  readonly openHeld: (lock: Disposable) => Promise<Ledger>;
  readonly pid: number;
}

/** How long to look for a way in. A holder opens its door before it reads its ledger. */
const patienceMs = 15_000;

/** Whoever gets the lock holds the ledger and opens a door; who does not goes through that door. */
export function standIn(options: StandOptions): SharedLedgerOptions["stand"] {
  const { paths, clock, random } = options;
  const doorFile = paths.resolve("ledger/door.json");
  return async ({ onYield }): Promise<Holder | Guest> => {
    makeLedgerFolder(paths);
    const endMs = clock.monotonicMs() + patienceMs;
    for (;;) {
      const lock = tryLockFolder(lockFileOf(paths), { waitMs: 0 });
      if (lock) return hold(lock, { ...options, doorFile, onYield });
      const place = await readDoorFile(doorFile);
      const guest = place && (await knock({ place, clock, random }));
      if (guest) return { kind: "guest", guest };
      if (clock.monotonicMs() > endMs) throw inUse(doorFile, place?.pid);
      await sleep(clock, 10 + random.below(40));
    }
  };
}

interface HoldOptions extends StandOptions {
  readonly doorFile: string;
  readonly onYield: () => void;
}

async function hold(lock: Disposable, options: HoldOptions): Promise<Holder> {
  const { doorFile, openHeld } = options;
  // The door first: who waits for a large ledger to be read waits at the door, not for the lock.
  let begin = (_opened: Promise<Ledger>) => {};
  const opened = new Promise<Ledger>((resolve) => (begin = resolve));
  opened.catch(() => {}); // told by what awaits it below
  const door = await tryOpenDoor(opened, options);
  begin(openHeld(lock));
  try {
    const ledger = await opened;
    return {
      kind: "holder",
      ledger,
      async leave() {
        await door?.quiet();
        await removeDoorFile(doorFile).catch(() => {}); // a stale one is noticed
        await ledger[Symbol.asyncDispose]();
        door?.close();
      },
    };
  } catch (error) {
    door?.close();
    await removeDoorFile(doorFile).catch(() => {});
    lock[Symbol.dispose]();
    throw error;
  }
}

/** A full disk or a machine without loopback is no reason not to open: it is then for this one only. */
async function tryOpenDoor(ledger: Promise<Ledger>, options: HoldOptions) {
  const { clock, random, log, doorFile, onYield, pid } = options;
  const token = makeToken(random);
  try {
    const door = await openDoor({ ledger, token, clock, random, log, onYield });
    try {
      await writeDoorFile(doorFile, { port: door.port, token, pid });
      return door;
    } catch (error) {
      door.close();
      throw error;
    }
  } catch (error) {
    log.warn("other processes cannot use this ledger now", { reason: String(error) });
    return undefined;
  }
}

function inUse(doorFile: string, pid: number | undefined): AppError {
  const who = pid === undefined ? "another forager process" : `another process (it may be ${pid})`;
  const message =
    `${who} holds the ledger beside ${doorFile} and lets nobody in: stop it, ` +
    `or let it do the work`;
  return new AppError("unavailable", "ledger_in_use", message);
}
