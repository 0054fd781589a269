/**
 * A process with an index, for tests in which it exits without closing it:
 * - `write FILE`: writes batches of ten records that all have the same number, until it is killed;
 * - `die FILE`: writes one such batch, and kills itself;
 * - `read FILE`: opens the index for reading, and exits without closing it.
 */
import { silentLogger } from "../../../../base/log/logger.ts";
import { company } from "../../../testing/sample-records.ts";
import { openSqliteRecordIndexForReading } from "../open-for-reading.ts";
import { openSqliteRecordIndex } from "../sqlite-record-index.ts";

const [role, file = ""] = process.argv.slice(2);
const position = { checkpoint: 1, parts: "", vector: {}, aside: [] };

function write(isEndless: boolean): void {
  const index = openSqliteRecordIndex({ file, log: silentLogger });
  for (let number = 1; ; number++) {
    const put = Array.from({ length: 10 }, (_, at) =>
      company(`c${at}`, { name: `C ${at}`, numbers: { reviews: number } }),
    );
    index.update({ put, position });
    if (!isEndless) process.kill(process.pid, "SIGKILL");
    // Restarts the log, as a checkpoint does after many more writes.
    if (number % 3 === 0) index.scrub();
    if (number === 1) process.stdout.write("written\n");
  }
}

if (role === "read") {
  const reader = openSqliteRecordIndexForReading({ file, log: silentLogger });
  process.stdout.write(`${reader.isCopy} ${reader.count({ kind: "company" }, 99)}\n`);
  process.exit(0);
}
write(role === "write");
