// inputs: **
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { bundleEntries } from "../scripts/bundle-program.ts";
import { contract, describeApi, type RouteSpec } from "../src/api/index.ts";
import { breakingChanges } from "./support/breaking-changes.ts";
import { packageFile } from "../src/base/files/package-files.ts";
import { registry } from "../src/cli/registry.ts";
import { commandsWithoutRoute } from "./support/commands-without-route.ts";
import { filesLoadedWith } from "./support/loaded-files.ts";
import { readRepository } from "./support/repository.ts";
import { findImports } from "./support/source-scan.ts";
import { tidyViolations } from "./support/tidy-rules.ts";
import { formatViolations } from "./support/tidy-violation.ts";

describe("the repository", () => {
  const files = readRepository();

  test("was found, with its sources and its pages", () => {
    const paths = files.map(({ path }) => path);
    expect(paths).toContain("src/base/app-error.ts");
    expect(paths).toContain("README.md");
    expect(paths.filter((path) => /node_modules|^dist\//.test(path))).toEqual([]);
  });

  test("keeps its own rules", () => {
    expect(formatViolations(tidyViolations(files))).toBe("");
  });

  test("does not load all of itself for each command: the entry point of app imports little", () => {
    const loaded = filesLoadedWith("src/app/index.ts", files);
    expect(loaded.size).toBeGreaterThan(10);
    const light = /^src\/(?:app|base|config|bucket|queue)\//;
    const heavy = [...loaded].filter(([path]) => !light.test(path));
    const reported = heavy.map(([path, by]) => `${path}, by ${by}: take it with await import()`);
    expect(reported).toEqual([]);
  });

  test("bundles each program that it starts by path, and finds files by their path in the package", () => {
    const sources = files.filter(({ path }) => /^src\/(?!.*(?:\.test\.|\/testing\/))/.test(path));
    const bundled = bundleEntries.map((path) => path.replace(/\.ts$/, ""));
    const started = sources.flatMap(({ text }) =>
      [...text.matchAll(/programFile\("([^"]+?)(?:\.js)?"\)/g)].map(([, path]) => path!),
    );
    const programs = started.filter((path) => !path.startsWith("sources/data/"));
    expect(["cli/main", ...programs].toSorted()).toEqual(bundled.toSorted());
    // In a bundle a module is in another folder than in src.
    const ownPlace = sources.filter(({ text }) => /new URL\([^)]*import\.meta/.test(text));
    expect(ownPlace.map(({ path }) => path)).toEqual(["src/base/files/package-files.ts"]);
  });

  test("keeps commands apart: what two of them need is in a file of its own", () => {
    const cli = files.filter(({ path }) => /^src\/cli\/.*(?<!\.test)\.ts$/.test(path));
    const imports = cli.flatMap(({ path, text }) =>
      findImports(text).map(({ specifier, form }) => ({
        path,
        form,
        to: posix.join(posix.dirname(path), specifier),
      })),
    );
    const commands = new Set(
      imports
        .filter(
          ({ path, form }) =>
            form === "dynamic" && /^src\/cli\/commands\/(?:[\w-]+\/)?index\.ts$/.test(path),
        )
        .map(({ to }) => to)
        .filter((to) => to.startsWith("src/cli/commands/")),
    );
    expect(commands.size).toBeGreaterThan(50);
    const wrong = imports.filter(({ form, to }) => form !== "dynamic" && commands.has(to));
    expect(wrong.map(({ path, to }) => `${path} imports the command ${to}`)).toEqual([]);
  });
});

describe("the HTTP API", () => {
  const specs: readonly RouteSpec[] = Object.values(contract);
  const covered = new Set(specs.flatMap(({ commands }) => commands ?? []));
  const names = registry.commands.map(({ name }) => name);

  test("has a route for every command, or a reason why not", () => {
    const missing = names.filter((name) => !covered.has(name) && !(name in commandsWithoutRoute));
    const remedy = "name it in `commands` of a route, or in test/support/commands-without-route.ts";
    expect(missing, remedy).toEqual([]);
  });

  test("gives reasons only for commands that have no route", () => {
    const reasons = Object.keys(commandsWithoutRoute);
    expect(reasons.filter((name) => covered.has(name) || !names.includes(name))).toEqual([]);
    expect([...covered].filter((name) => !names.includes(name))).toEqual([]);
  });

  // `npx vitest run test/tidy.test.ts -u` writes the document, and names what was broken once.
  const file = packageFile("docs/openapi.json");
  const committed = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
  const document = JSON.parse(JSON.stringify(describeApi())) as Readonly<Record<string, unknown>>;

  test("breaks nothing of what docs/openapi.json promised without a word in the changelog", () => {
    expect(breakingChanges(committed, document)).toEqual([]);
  });

  test("is described by docs/openapi.json as it is", async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(file);
  });
});
