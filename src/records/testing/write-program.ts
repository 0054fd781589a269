/** Writes to five records in a loop, until it is killed. The first argument is the data folder. */
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { createPaths } from "../../config/index.ts";
import { openFileDisk } from "../../ledger/adapters/file/file-disk.ts";
import { openLedger } from "../../ledger/index.ts";
import { openRecords } from "../open-records.ts";
import { createFileRecordIndex } from "./file-record-index.ts";

const folder = process.argv[2] ?? "";
const disk = await openFileDisk({ paths: createPaths(folder) });
const common = { clock: systemClock, random: systemRandom, log: silentLogger };
const ledger = await openLedger({ disk, ...common, label: "test" });
const index = createFileRecordIndex(join(folder, "index.json"));
const records = await openRecords({ ledger, folder, index, ...common, user: "anna" });
process.on("disconnect", () => process.exit(1));
process.send!("open");
for (let number = 1; ; number++) {
  const id = `k${number % 5}`;
  const target = `company/${id}`;
  await records.write({
    source: "system",
    changes: [
      { target, field: "name", value: `Company ${id}` },
      { target, field: "reviews", value: number },
    ],
  });
}
