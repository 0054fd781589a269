// inputs: src/ledger/** src/base/** src/usv/** src/config/**
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { silentLogger } from "../../../base/log/logger.ts";
import { systemRandom } from "../../../base/random.ts";
import { createPaths } from "../../../config/index.ts";
import { openLedger, type Ledger } from "../../ledger.ts";
import { valuesOf } from "../../testing/test-ledger.ts";
import { openFileDisk } from "./file-disk.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-ledger-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let isLockInPlace = true;
beforeEach(() => void (isLockInPlace = true));
const lock = { isInPlace: () => isLockInPlace };
const open = async () =>
  openLedger({
    disk: await openFileDisk({ paths: createPaths(folder), lock }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    label: "test",
  });
const program = fileURLToPath(new URL("../../testing/append-program.ts", import.meta.url));
const source = "site:https://a.b";

/** Kills a process when this many writes are acknowledged, and returns which ones they were. */
async function writeAndKill(writesMin: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--import", "tsx", program, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const written = () => text.split("\n").slice(0, -1);
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (written().length >= writesMin) child.kill("SIGKILL");
  });
  await once(child, "close");
  return written();
}

describe("a journal on disk", () => {
  test("kill -9: what was acknowledged is there, whole, and nothing has a gap", async () => {
    const acknowledged: string[] = [];
    for (const writes of [1, 60, 150]) acknowledged.push(...(await writeAndKill(writes)));
    expect(acknowledged.length).toBeGreaterThan(200);
    await using ledger = await open();
    for (const target of acknowledged) {
      const value = `${target.split("-")[1]} ü`;
      expect(await valuesOf(ledger, target)).toEqual({ a: value, b: value, c: value });
    }
    expect(ledger.status().sessions).toBe(3);
  });

  test.each(["deleted", "replaced", "lock deleted"])(
    "acknowledges nothing more after a file of it was %s, and leaves what is there alone",
    async (how) => {
      const put = (ledger: Ledger, value: number) =>
        ledger.write({ source, changes: [{ target: "company/a", field: "f", value }] });
      const lost = { kind: "corrupt", code: "ledger_file_replaced" };
      const ledger = await open();
      await put(ledger, 1);
      const [node] = readdirSync(join(folder, "wal"));
      const [day] = readdirSync(join(folder, "wal", node!));
      const file = join(folder, "wal", node!, day!);
      const backup = join(folder, "backup.usv");
      copyFileSync(file, backup);
      const before = readFileSync(backup);
      if (how === "lock deleted") isLockInPlace = false;
      else await put(ledger, 2);
      if (how === "deleted") rmSync(file);
      if (how === "replaced") renameSync(backup, file);
      await expect(put(ledger, 3)).rejects.toMatchObject(lost);
      await expect(put(ledger, 4)).rejects.toMatchObject(lost);
      await ledger[Symbol.asyncDispose]();
      expect(existsSync(file)).toBe(how !== "deleted");
      if (how !== "deleted") expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  test("an incomplete last record is cut off and reported, and the numbers continue", async () => {
    {
      await using ledger = await open();
      await ledger.write({ source, changes: [{ target: "company/a", field: "f", value: 1 }] });
    }
    const [node] = readdirSync(join(folder, "wal"));
    const [day] = readdirSync(join(folder, "wal", node!));
    appendFileSync(join(folder, "wal", node!, day!), "2026-01-01T00:\u0000\u0000");
    {
      await using ledger = await open();
      expect(ledger.status().cuts).toEqual([{ file: `wal/${node}/${day}`, bytes: 16 }]);
      await ledger.write({ source, changes: [{ target: "company/a", field: "f", value: 2 }] });
    }
    await using ledger = await open();
    expect(ledger.status().cuts).toEqual([]);
    expect(await valuesOf(ledger, "company/a")).toEqual({ f: 2 });
  });
});
