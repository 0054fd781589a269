// inputs: src/** test/**
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longGroups } from "../../scripts/checks/long-runs.ts";
import { listSourceFiles } from "../../scripts/checks/source-files.ts";
import { findTestFiles, isLongOnly } from "../../scripts/checks/test-files.ts";
import { root } from "../../scripts/project.ts";

const self = "test/scripts/long-groups.test.ts";
const files = await findTestFiles(
  { root, files: (await listSourceFiles(root)).filter((path) => path !== self) },
  { kind: "parts", parts: [""] },
);

test("each file with a long form names a group that exists", () => {
  const hasLongForm = ({ path }: { readonly path: string }) =>
    isLongOnly(path) ||
    readFileSync(join(root, path), "utf8").includes('process.env["FORAGER_TEST_LONG"]');
  const wrong = files
    .filter((file) => hasLongForm(file) || file.longGroup !== undefined)
    .filter(({ longGroup }) => longGroup === undefined || !(longGroup in longGroups))
    // It writes such a file for a project of its own.
    .filter(({ path }) => path !== "test/scripts/test-run.test.ts")
    .map(({ path, longGroup }) => `${path}: ${longGroup ?? "no group"}`);
  expect(wrong).toEqual([]);
});

test("each group has a file", () => {
  const used = new Set(files.map(({ longGroup }) => longGroup));
  expect(Object.keys(longGroups).filter((name) => !used.has(name))).toEqual([]);
});
