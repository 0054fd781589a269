// inputs: docs/promises.md docs/security-checks.md bench/*.ts src/** test/**
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { registry } from "../../src/cli/registry.ts";
import { parsePromises, promiseViolations, unexplained } from "../support/promises.ts";
import { repositoryRoot } from "../support/repository.ts";

/** What users were promised: nothing may leave this list. */
const ids = Object.entries({ A: 11, B: 28, C: 9, D: 17, E: 12 }).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
);

const readTest = (path: string) => {
  const file = join(repositoryRoot, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
};

test("docs/security-checks.md names all 25 checks, and every test it names is there", () => {
  const rows = parsePromises(readFileSync(join(repositoryRoot, "docs/security-checks.md"), "utf8"));
  const checks = Array.from({ length: 25 }, (_, index) => `S${index + 1}`);
  expect(promiseViolations(rows, { ids: checks, readTest })).toEqual([]);
  expect(rows.filter(({ state }) => state !== "works")).toEqual([]);
});

describe("docs/promises.md", () => {
  const page = readFileSync(join(repositoryRoot, "docs/promises.md"), "utf8");
  const rows = parsePromises(page);

  test("names every promise, and every test it names is there", () => {
    expect(promiseViolations(rows, { ids, readTest })).toEqual([]);
  });

  test("every command that shows a promise exists", () => {
    const isKnown = (line: string) =>
      registry.commands.some(({ name }) => `${line} `.startsWith(`forager ${name} `));
    const isBench = (name: string) => existsSync(join(repositoryRoot, `bench/${name}.bench.ts`));
    const unknown = rows.flatMap(({ id, shownBy }) => [
      ...[...shownBy.matchAll(/`(forager [^`]+)`/g)]
        .filter(([, line]) => !isKnown(line!))
        .map(([, line]) => `${id}: ${line}`),
      ...[...shownBy.matchAll(/`npm run bench -- ([^`]+)`/g)]
        .filter(([, name]) => !isBench(name!))
        .map(([, name]) => `${id}: bench ${name}`),
    ]);
    expect(unknown).toEqual([]);
  });

  test("says what is missing of every promise that holds partly", () => {
    expect(unexplained(page)).toEqual([]);
  });
});
