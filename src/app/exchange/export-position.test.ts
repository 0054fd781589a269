// inputs: src/app/testing/export-program.ts src/app/exchange/** src/bucket/** src/base/** src/records/**
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { createLease } from "../../bucket/index.ts";
import { createPaths } from "../../config/index.ts";
import { openBucket } from "../bucket/open-bucket.ts";
import type { ExportProgramOptions } from "../testing/export-program.ts";
import { openExportPosition } from "./export-position.ts";

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "forager-position-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const program = join(import.meta.dirname, "../testing/export-program.ts");

/** Resolves when the process has exited. `kill`: with kill -9, once its file exists. */
function runProgram(options: ExportProgramOptions, { kill = false } = {}): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const args = [program, JSON.stringify({ ...options, hangs: kill })];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.on("data", () => kill && child.kill("SIGKILL"));
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
}

const delivered = (file: string) => JSON.parse(readFileSync(file, "utf8")) as string[];

test("B28: machines that export one name at once give out each row once, and lose none", async () => {
  const folder = createFolder();
  const addresses = Array.from({ length: 50 }, (_, number) => `a${number}@acme.example`);
  // Each has some addresses that the others do not have.
  const known = [addresses.slice(0, 35), addresses.slice(15), addresses.slice(5, 45)];
  const files = known.map((_, machine) => join(folder, `${machine}.json`));
  const codes = await Promise.all(
    known.map((some, machine) =>
      runProgram({
        data: join(folder, `data-${machine}`),
        bucket: `dir:${join(folder, "bucket")}`,
        addresses: some,
        to: files[machine]!,
      }),
    ),
  );
  expect(codes).toEqual([0, 0, 0]);
  const all = files.flatMap(delivered);
  expect(all.toSorted()).toEqual(addresses.toSorted());
});

test("B28: killed between the file and the position, its rows are given out again; two processes of a folder", async () => {
  const folder = createFolder();
  const data = join(folder, "data");
  const leaseTimes = { ttlMs: 4_000, marginMs: 2_000 };
  const addresses = ["a@acme.example", "b@acme.example"];
  const [killed, next, last] = ["killed", "next", "last"].map((name) => join(folder, name));
  const common = { data, addresses, leaseTimes };
  expect(await runProgram({ ...common, to: killed! }, { kill: true })).toBeNull();
  expect(delivered(killed!)).toEqual(addresses);
  expect(await runProgram({ ...common, to: next! })).toBe(0);
  expect(delivered(next!)).toEqual(addresses);
  expect(await runProgram({ ...common, to: last! })).toBe(0);
  expect(delivered(last!)).toEqual([]);
});

test("an export that lost its lease gives nothing out, and does not overwrite the position", async () => {
  const folder = createFolder();
  const { signal } = new AbortController();
  const settings = { bucket: { url: `dir:${folder}` }, node: { name: "pi-1" } };
  const where = { paths: createPaths(join(folder, "data")), settings, clock: systemClock, signal };
  await using first = await openExportPosition(where, "crm");
  await using bucket = await openBucket(`dir:${folder}`);
  const others = { bucket, name: "export-crm", owner: "test", clock: systemClock, random: systemRandom }; // prettier-ignore
  expect(await createLease(others).forceRelease("it hangs")).toBe("released");
  await using second = await openExportPosition(where, "crm");
  await expect(first.confirm()).rejects.toMatchObject({ code: "export_taken_over" });
  expect(() => first.check()).toThrow(/another export of the name crm has started/);
  const state = (at: string) => ({ at, digests: new Map([[`company/${at}`, "0"]]) });
  await second.commit(state("2026-11-18T05:00:00.000Z"));
  const late = first.commit(state("2026-11-18T04:00:00.000Z"));
  await expect(late).rejects.toMatchObject({ kind: "conflict", code: "export_taken_over" });
  await second[Symbol.asyncDispose]();
  await using third = await openExportPosition(where, "crm");
  expect([...third.before.digests.keys()]).toEqual(["company/2026-11-18T05:00:00.000Z"]);
  await third[Symbol.asyncDispose]();
  await using again = await openExportPosition({ ...where, isRestarted: true }, "crm");
  expect(again.before.digests.size).toBe(0);
});
