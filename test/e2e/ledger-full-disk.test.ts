import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createPaths } from "../../src/config/index.ts";
import { openFileDisk } from "../../src/ledger/adapters/file/file-disk.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { valuesOf } from "../../src/ledger/testing/test-ledger.ts";
import { mountSmallDisk } from "../../src/queue/adapters/sqlite/testing/small-disk.ts";

test("a full disk in the middle of an append: a clear error, nothing lost, and on it goes", async () => {
  using disk = mountSmallDisk(1);
  if (!disk) return expect(process.getuid?.()).not.toBe(0); // only root can mount one
  await using ledger = await openLedger({
    disk: await openFileDisk({ paths: createPaths(disk.path) }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    label: "test",
  });
  const write = (field: string, value: string) =>
    ledger.write({
      source: "site:https://a.b",
      changes: [{ target: "company/a", field, value }],
    });
  await write("kept", "before");
  const filler = join(disk.path, "filler");
  writeFileSync(filler, "x".repeat(600_000));
  await expect(write("big", "y".repeat(700_000))).rejects.toMatchObject({ code: "disk_full" });
  expect(await valuesOf(ledger, "company/a")).toEqual({ kept: "before" });
  rmSync(filler);
  expect((await write("big", "small")).datagrams).toMatchObject([{ number: 2 }]);
  expect(await valuesOf(ledger, "company/a")).toEqual({ kept: "before", big: "small" });
});
