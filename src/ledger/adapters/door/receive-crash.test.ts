// inputs: src/ledger/** src/base/** src/usv/** src/config/**
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTestSharedLedger } from "../../testing/test-shared-ledger.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-receive-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = fileURLToPath(new URL("../../testing/receive-program.ts", import.meta.url));

/** Lets a process take what another node writes, kills it, and answers what it acknowledged. */
async function receiveAndKill(runMs: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--import", "tsx", program, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const begun = new Promise<void>((resolve) =>
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      resolve();
    }),
  );
  await begun;
  await new Promise((resolve) => setTimeout(resolve, runMs));
  child.kill("SIGKILL");
  await once(child, "close");
  return text.split("\n").slice(0, -1);
}

/** Checks that all of it is there, in whole commits of three. */
async function expectKept(acknowledged: readonly string[]): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(10);
  await using ledger = await openTestSharedLedger(folder);
  for (const line of acknowledged) {
    const [origin = "", number] = line.split(" ");
    expect(ledger.exchange.vector().get(origin)).toBeGreaterThanOrEqual(Number(number));
  }
  for (const last of ledger.exchange.vector().values()) expect(last % 3).toBe(0);
}

describe("kill -9 of who takes what others wrote", () => {
  test("what was acknowledged is there, whole: as the holder", async () => {
    const first = await receiveAndKill(30);
    await expectKept([...first, ...(await receiveAndKill(100))]);
  }, 30_000);

  test("what was acknowledged is there, whole: through another process's door", async () => {
    const holder = await openTestSharedLedger(folder);
    const acknowledged = await receiveAndKill(100);
    await holder[Symbol.asyncDispose]();
    await expectKept(acknowledged);
  }, 30_000);
});
