import { systemClock, type Clock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { createPaths } from "../../config/index.ts";
import { openSharedLedger, type SharedLedgerOptions } from "../adapters/door/shared-ledger.ts";
import { standIn } from "../adapters/door/stand.ts";
import { openFileDisk } from "../adapters/file/file-disk.ts";
import { openLedger, type Ledger } from "../ledger.ts";

/** How a process becomes holder or guest of the ledger in a folder, as the app wires it. */
export function testStand(
  folder: string,
  clock: Clock = systemClock,
): SharedLedgerOptions["stand"] {
  const paths = createPaths(folder);
  const [random, log] = [systemRandom, silentLogger];
  const openHeld = async (lock: Disposable) => {
    const disk = await openFileDisk({ paths, lock });
    return openLedger({ disk, clock: systemClock, random, log, label: "test" });
  };
  return standIn({ paths, clock, random, log, openHeld, pid: process.pid });
}

export const openTestSharedLedger = (folder: string): Promise<Ledger> =>
  openSharedLedger({ clock: systemClock, stand: testStand(folder) });
