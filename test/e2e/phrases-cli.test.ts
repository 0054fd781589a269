// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
});
afterEach(() => sandbox.remove());

test("forager phrases: each phrase with its tags, for people and for programs", async () => {
  const json = await sandbox.forager(["phrases", "Bodenleger", "qqqq", "--lang", "de", "--json"]);
  expect(json.exitCode, json.stderr).toBe(0);
  expect(JSON.parse(json.stdout)).toEqual([
    {
      phrase: "Bodenleger",
      matches: expect.arrayContaining([
        expect.objectContaining({ source: "osm", tag: "craft=floorer", score: 1, state: "used" }),
      ]) as unknown,
    },
    { phrase: "qqqq", matches: [] },
  ]);
  const table = await sandbox.forager(["phrases", "law firm", "qqqq"]);
  expect(table.stdout).toMatch(/law firm +osm +office=lawyer +0\.97 +used/);
  expect(table.stdout).toContain("none: only names are searched");
});

test("a language that nothing is known of is refused with those that are", async () => {
  const result = await sandbox.forager(["phrases", "x", "--lang", "xx"]);
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(/--lang takes en, de, .*not 'xx'/);
});
