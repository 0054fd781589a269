// process: own
import { WriteStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { readPlaceFile } from "./read-place-file.ts";

const folder = mkdtempSync(join(tmpdir(), "forager-csv-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("reading a CSV file keeps none of the rows it has handed over", async () => {
  const file = join(folder, "long.csv");
  const rows = 60_000;
  await writeRows(createWriteStream(file), rows);
  const heapMb = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  let read = 0;
  let early = Number.NaN;
  let late = Number.NaN;
  for await (const batch of readPlaceFile({ file })) {
    read += batch.length;
    if (Number.isNaN(early) && read > rows * 0.1) early = heapMb();
    if (Number.isNaN(late) && read > rows * 0.9) late = heapMb();
  }
  expect(read).toBe(rows);
  // The rows in between take tens of MB if they are kept.
  expect(late - early).toBeLessThan(15);
});

async function writeRows(out: WriteStream, rows: number): Promise<void> {
  const words = "a description that takes room ".repeat(10);
  out.write("id,name,latitude,longitude,description\n");
  for (let row = 0; row < rows; row++) {
    const line = `${row},Shop ${row},${30 + (row % 100) / 100},-97.5,${words}\n`;
    if (!out.write(line)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}
