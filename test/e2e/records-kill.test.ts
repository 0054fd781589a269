import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createPaths } from "../../src/config/index.ts";
import { openFileDisk } from "../../src/ledger/adapters/file/file-disk.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { valuesOf } from "../../src/ledger/testing/test-ledger.ts";
import { openRecords } from "../../src/records/index.ts";
import { createFileRecordIndex } from "../../src/records/testing/file-record-index.ts";

test("kill -9 at any moment: files and index agree with the ledger again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-records-kill-"));
  const program = fileURLToPath(
    new URL("../../src/records/testing/write-program.ts", import.meta.url),
  );
  try {
    // The last one has surely written something, on a busy machine too.
    const hasWritten = () =>
      expect.poll(() => readdirSync(join(folder, "companies"))).not.toEqual([]);
    for (const runMs of [15, 40, 90, undefined]) {
      const child = fork(program, [folder], { execArgv: ["--import", "tsx"] });
      await once(child, "message");
      if (runMs === undefined) await hasWritten();
      else await new Promise((resolve) => setTimeout(resolve, runMs));
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    const disk = await openFileDisk({ paths: createPaths(folder) });
    const common = { clock: systemClock, random: systemRandom, log: silentLogger };
    await using ledger = await openLedger({ disk, ...common, label: "test" });
    const index = createFileRecordIndex(join(folder, "index.json"));
    await using records = await openRecords({ ledger, folder, index, ...common, user: "anna" });
    expect(records.problems()).toEqual([]);
    expect((await records.ingest()).edited).toEqual([]);
    let seen = 0;
    for (let id = 0; id < 5; id++) {
      const of = `company/k${id}`;
      const values = await valuesOf(ledger, of);
      const company = await records.company(of);
      expect(company?.numbers.reviews).toBe(values["reviews"]);
      if (company) seen += 1;
    }
    expect(seen).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
