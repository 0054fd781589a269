// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTestSharedLedger } from "../../src/ledger/testing/test-shared-ledger.ts";
import { createSandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";
import { readDoorFile } from "../../src/ledger/adapters/door/door-file.ts";

let folder = "";
const children = new Set<ChildProcess>();
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-door-"))));
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  rmSync(folder, { recursive: true, force: true });
});

const program = join(repositoryRoot, "src/ledger/testing/shared-program.ts");

/** A process that writes so many fields; what it was told is safe is in `acknowledged`. */
function start(name: string, count: number) {
  const child = spawn(process.execPath, ["--import", "tsx", program, folder, name, `${count}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.add(child);
  let text = "";
  const done = new Promise<boolean>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.endsWith("done\n")) resolve(true);
    });
    child.once("close", () => resolve(text.endsWith("done\n")));
  });
  const acknowledged = () =>
    text
      .split("\n")
      .slice(0, -1)
      .filter((line) => line !== "done")
      .map(Number);
  const end = async () => {
    child.stdin.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    return child.exitCode;
  };
  return { name, child, done, acknowledged, end };
}

type Writer = ReturnType<typeof start>;
const isAlive = ({ child }: Writer) => child.signalCode === null;

/** The living process that the door's file names; the file of a dead one is replaced soon. */
async function holderAmong(all: readonly Writer[]): Promise<Writer> {
  for (let looks = 0; looks < 6_000; looks++) {
    const pid = (await readDoorFile(join(folder, "ledger", "door.json")))?.pid;
    const found = all.find((one) => one.child.pid === pid && isAlive(one));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("no living process holds the ledger");
}

describe("holders that are killed", () => {
  test("kill -9: each acknowledged write is there once, numbers have no gap, the others go on", async () => {
    const each = 2_000;
    const all = ["a", "b", "c"].map((name) => start(name, each));
    const progress = () => all.reduce((sum, { acknowledged }) => sum + acknowledged().length, 0);
    for (const replacement of ["d", "e", "f", "g"]) {
      const before = progress();
      await expect.poll(progress, { timeout: 60_000, interval: 10 }).toBeGreaterThan(before + 100);
      const holder = await holderAmong(all);
      holder.child.kill("SIGKILL");
      await once(holder.child, "close");
      all.push(start(replacement, each));
    }
    const living = all.filter(isAlive);
    expect(await Promise.all(living.map(({ done }) => done))).toEqual([true, true, true]);
    expect(await Promise.all(living.map(({ end }) => end()))).toEqual([0, 0, 0]);

    const sandbox = await createSandbox();
    const verified = await sandbox.forager(["ledger", "verify", "--data", folder]);
    sandbox.remove();
    expect(verified.stdout).toMatch(/^checkpoint 0 and [\d,]+ datagrams are sound\n/);
    await using ledger = await openTestSharedLedger(folder);
    const log = ledger.log();
    const times = new Map<string, number>();
    for (const { target, field } of log) {
      const place = `${target} ${field}`;
      times.set(place, (times.get(place) ?? 0) + 1);
    }
    for (const { name, acknowledged } of all) {
      for (const index of acknowledged()) {
        expect(times.get(`company/${name}-${index % 50} f/${index}`), `${name} ${index}`).toBe(1);
      }
    }
    expect([...times.values()].filter((count) => count !== 1)).toEqual([]);
    for (const { acknowledged } of living) expect(acknowledged()).toHaveLength(each);
    expect(ledger.vector().size).toBeGreaterThanOrEqual(5);
    // The vector counts numbers without gaps; were there one, less would be known than is written.
    const known = [...ledger.vector().values()].reduce((sum, number) => sum + number, 0);
    expect(known).toBe(log.length);
    expect(ledger.status()).toMatchObject({ stranded: 0, cuts: [] });
  }, 240_000);

  test("a folder that cannot be written to is told at once, not waited for", async () => {
    {
      await using _made = await openTestSharedLedger(folder);
    }
    chmodSync(join(folder, "ledger"), 0o555);
    chmodSync(join(folder, "ledger", "lock.db"), 0o444);
    chmodSync(folder, 0o555);
    const child = spawn(process.execPath, ["--import", "tsx", program, folder, "r", "1"], {
      stdio: ["ignore", "ignore", "pipe"],
      // Nothing is read-only for root.
      ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
      env: { PATH: process.env["PATH"] ?? "", TMPDIR: tmpdir() },
    });
    children.add(child);
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await once(child, "close");
    expect(child.exitCode).not.toBe(0);
    expect(text).toMatch(/ledger_lock|file_not_permitted/u);
  }, 120_000);
});
