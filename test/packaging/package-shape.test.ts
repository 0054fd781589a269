// inputs: src/** docs/** README.md LICENSE CHANGELOG.md CONTRIBUTING.md tsconfig.build.json
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { libraryEntries, packForager } from "../support/package-tarball.ts";

let folder = "";
let tarball: Uint8Array<ArrayBuffer> = new Uint8Array();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "forager-shape-"));
  tarball = new Uint8Array(readFileSync((await packForager(folder)).tarball));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("publint finds nothing to improve", async () => {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg!, { color: false }))).toEqual([]);
});

/**
 * "Are the types wrong?" with its profile for packages of ES modules: how node10 and a `require`
 * of node16 see the package does not count.
 */
test("the types of each entry are those of its code, for Node and for bundlers", async () => {
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (analysis.types === false) throw new Error("the package has no types");
  const entries = libraryEntries().map((name) => name.replace("forager", "."));
  expect(Object.keys(analysis.entrypoints)).toEqual([...entries, "./package.json"]);
  const problems = analysis.problems.filter((problem) =>
    (["node16-esm", "bundler"] as const).some((kind) =>
      problemAffectsResolutionKind(problem, kind, analysis),
    ),
  );
  expect(problems).toEqual([]);
});
