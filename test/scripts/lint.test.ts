// inputs: scripts/checks/steps.ts .oxlintrc.json tsconfig.json package.json
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { steps } from "../../scripts/checks/steps.ts";
import { root } from "../../scripts/project.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-lint-"));
  mkdirSync(join(folder, "src"));
  for (const file of [".oxlintrc.json", "tsconfig.json", "package.json"])
    copyFileSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules")); // for Node's types
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the step for types and lint of `npm test` over one file. */
function lint(source: string) {
  writeFileSync(join(folder, "src", "sample.ts"), source);
  const { args } = steps.find(({ name }) => name === "types+lint")!;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder });
  return { status, output: `${String(stdout)}${String(stderr)}` };
}

const save = "export async function save(): Promise<void> {}\n";

test("a promise nobody waits for is fatal", () => {
  const { status, output } = lint(`${save}save();\n`);
  expect(output).toContain("no-floating-promises");
  expect(status).toBe(1);
});

test("a promise where a callback is expected to return nothing is fatal", () => {
  const { status, output } = lint(`${save}[1].forEach(async () => await save());\n`);
  expect(output).toContain("no-misused-promises");
  expect(status).toBe(1);
});

test("a type that does not fit is fatal", () => {
  const { status, output } = lint(`export const one: number = "1";\n`);
  expect(output).toContain("is not assignable to type 'number'");
  expect(status).toBe(1);
});

test("the same file without the mistake passes", () => {
  expect(lint(`${save}await save();\n`)).toMatchObject({ status: 0 });
});
