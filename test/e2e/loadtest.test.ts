// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";

interface Document {
  readonly isGood: boolean;
  readonly tasks: number;
  readonly kills: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly checks: readonly { readonly name: string; readonly isGood: boolean }[];
  readonly last: { readonly profile: string } | null;
}

/** What the machine's other work decides is not for a test; what is promised always is. */
const isAboutTime = /^(?:recovery|processor|memory|transaction)/;

test("D12: nothing lost, nothing twice, gates and caps kept, though workers are killed", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const args = ["loadtest", "--time-scale", "600", "--data", "data", "--json"];
  const { stdout, stderr, exitCode } = await sandbox.forager(args);
  const result = JSON.parse(stdout) as Document;
  const kept = result.checks.filter(({ name }) => !isAboutTime.test(name));
  expect(kept.length).toBeGreaterThan(10);
  expect(
    kept.filter(({ isGood }) => !isGood),
    stderr,
  ).toEqual([]);
  expect(exitCode).toBe(result.isGood ? 0 : 1);
  expect(result.kills).toBe(4);
  expect(result.answers["error"]! + result.answers["refused"]!).toBeGreaterThan(0);
  expect(result.last).toBe(null);
  expect(readdirSync(join(sandbox.folder, "data/loadtests"))).toEqual(["baseline-600.json"]);
}, 240_000);
