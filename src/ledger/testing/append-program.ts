/**
 * Writes to a ledger until it is killed, several commits at a time, and prints each acknowledged
 * commit as one line. The data folder is the first argument.
 */
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { createPaths } from "../../config/index.ts";
import { openFileDisk } from "../adapters/file/file-disk.ts";
import { openLedger } from "../ledger.ts";

const disk = await openFileDisk({ paths: createPaths(process.argv[2] ?? "") });
const ledger = await openLedger({
  disk,
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
  label: "child",
});

async function writeForEver(writer: number): Promise<void> {
  for (let index = 0; ; index++) {
    const target = `company/${writer}-${index}`;
    const changes = ["a", "b", "c"].map((field) => ({ target, field, value: `${index} ü` }));
    await ledger.write({ source: "site:https://a.b", changes });
    process.stdout.write(`${target}\n`);
  }
}
await Promise.all([0, 1, 2, 3].map(writeForEver));
