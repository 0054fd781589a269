// inputs: src/ledger/** src/base/** src/usv/** src/config/**
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTestSharedLedger } from "../../testing/test-shared-ledger.ts";
import { readDoorFile } from "./door-file.ts";

let folder = "";
const children = new Set<ChildProcess>();
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-door-"))));
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  rmSync(folder, { recursive: true, force: true });
});

const program = fileURLToPath(new URL("../../testing/shared-program.ts", import.meta.url));

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

describe("holders that are killed", () => {
  test("kill -9: each acknowledged write is there once, numbers have no gap, the others go on", async () => {
    const each = 2_000;
    const stayers = ["a", "b"].map((name) => start(name, each));
    const victims = ["x", "y", "z"].map((name) => start(name, 1_000_000));
    const all = [...stayers, ...victims];
    await expect
      .poll(() => all.every(({ acknowledged }) => acknowledged().length > 0), { timeout: 20_000 })
      .toBe(true);
    // Whoever holds it is killed, until only the stayers are left; they then do it themselves.
    const doorFile = join(folder, "ledger", "door.json");
    let kills = 0;
    const endMs = Date.now() + 15_000;
    for (; kills < victims.length && Date.now() < endMs;) {
      const holder = (await readDoorFile(doorFile))?.pid;
      const victim = victims.find(({ child }) => child.pid === holder) ?? victims[kills]!;
      const before = all.reduce((sum, { acknowledged }) => sum + acknowledged().length, 0);
      victim.child.kill("SIGKILL");
      await once(victim.child, "close");
      victims.splice(victims.indexOf(victim), 1);
      await expect
        .poll(() => all.reduce((sum, { acknowledged }) => sum + acknowledged().length, 0), {
          timeout: 10_000,
        })
        .toBeGreaterThan(before);
    }
    expect(await Promise.all(stayers.map(({ done }) => done))).toEqual([true, true]);
    expect(await Promise.all(stayers.map(({ end }) => end()))).toEqual([0, 0]);

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
    expect(stayers.map(({ acknowledged }) => acknowledged().length)).toEqual([each, each]);
    // The vector counts numbers without gaps; were there one, less would be known than is written.
    const known = [...ledger.vector().values()].reduce((sum, number) => sum + number, 0);
    expect(known).toBe(log.length);
    expect(ledger.status()).toMatchObject({ stranded: 0, cuts: [] });
  }, 60_000);

  test("a folder that cannot be written to is told at once, not waited for", async () => {
    {
      await using _made = await openTestSharedLedger(folder);
    }
    chmodSync(join(folder, "ledger"), 0o500);
    chmodSync(join(folder, "ledger", "lock.db"), 0o400);
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
  }, 20_000);
});
