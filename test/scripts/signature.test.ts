import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSigner } from "../../scripts/checks/signature.ts";
import { listSourceFiles, matchesGlob } from "../../scripts/checks/source-files.ts";

let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "forager-signature-"));
  await write("package.json", "{}");
  await write("package-lock.json", "{}");
  await write("vitest.config.ts", "export {};");
  await write("src/a.test.ts", `import { b } from "./b.ts";`);
  await write("src/b.ts", `export const b = () => import("./deep/c.ts");`);
  await write("src/deep/c.ts", `const page = new URL("../page.html", import.meta.url);`);
  await write("src/page.html", "<p>");
  await write("src/other.ts", `import "node:fs"; import "./absent.ts";`);
  await write("docs/guide.md", "words");
  await write("node_modules/x/index.js", "ignored");
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

describe("the signature of a test file", () => {
  test("looks at what it imports, directly or not, lazily or by URL, and at nothing else", async () => {
    const signer = await openSigner();
    expect(await signer.testInputs("src/a.test.ts", [])).toEqual([
      "src/a.test.ts",
      "src/b.ts",
      "src/deep/c.ts",
      "src/page.html",
    ]);
  });

  test("looks at declared inputs and what they import", async () => {
    await write("docs/example.ts", `import "../src/other.ts";`);
    const signer = await openSigner();
    expect((await signer.testInputs("src/page.html", ["docs/**"])).toSorted()).toEqual([
      "docs/example.ts",
      "docs/guide.md",
      "src/other.ts",
      "src/page.html",
    ]);
  });

  test("is the same for the same content", async () => {
    const before = await sign();
    await write("src/b.ts", `export const b = () => import("./deep/c.ts");`);
    await write("src/other.ts", "unrelated");
    await write("docs/guide.md", "other words");
    expect(await sign()).toBe(before);
  });

  test.for([
    "src/a.test.ts",
    "src/b.ts",
    "src/deep/c.ts",
    "src/page.html",
    "package-lock.json",
    "vitest.config.ts",
    "tsconfig.json",
  ])("changes with %s", async (path) => {
    const before = await sign();
    await write(path, `${path} is different now`);
    expect(await sign()).not.toBe(before);
  });

  test("changes with a declared input: edited, added or deleted", async () => {
    const seen = new Set([await sign(["docs/**"])]);
    await write("docs/guide.md", "edited");
    seen.add(await sign(["docs/**"]));
    await write("docs/new.md", "added");
    seen.add(await sign(["docs/**"]));
    await rm(join(root, "docs/guide.md"));
    seen.add(await sign(["docs/**"]));
    expect(seen.size).toBe(4);
  });

  test("does not loop where modules import each other", async () => {
    await write("src/deep/c.ts", `import "../b.ts"; import "../a.test.ts";`);
    expect(await (await openSigner()).testInputs("src/a.test.ts", [])).toHaveLength(3);
  });
});

describe("the signature of a step", () => {
  test("changes with its files and its command, and with nothing else", async () => {
    const step = async (words: string[]) => (await openSigner()).signFiles(["**/*.ts"], words);
    const before = await step(["tsc"]);
    await write("docs/guide.md", "other words");
    expect(await step(["tsc"])).toBe(before);
    expect(await step(["tsc", "--strict"])).not.toBe(before);
    await write("src/new.ts", "export {};");
    expect(await step(["tsc"])).not.toBe(before);
  });

  test("cannot be kept by moving text from one file to the next", async () => {
    await write("docs/a.md", "xy");
    await write("docs/b.md", "z");
    const before = await (await openSigner()).signFiles(["docs/**"]);
    await write("docs/a.md", "x");
    await write("docs/b.md", "yz");
    expect(await (await openSigner()).signFiles(["docs/**"])).not.toBe(before);
  });
});

test.for([
  ["src/a/b.ts", "src/**", true],
  ["src/a/b.ts", "src/**/*.ts", true],
  ["src/b.ts", "src/**/*.ts", true],
  ["src/a/b.ts", "src/*.ts", false],
  ["src/a/b.ts", "**/*.ts", true],
  ["b.ts", "**/*.ts", true],
  ["b.tsx", "**/*.ts", false],
  ["README.md", "README.md", true],
  ["READMEzmd", "README.md", false],
  ["other/src/a.ts", "src/**", false],
] as const)("%s in %s: %s", ([path, glob, isMatch]) => {
  expect(matchesGlob(path, glob)).toBe(isMatch);
});

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

async function openSigner() {
  return createSigner({ root, files: await listSourceFiles(root) });
}

async function sign(inputs: readonly string[] = []) {
  return await (await openSigner()).signTest("src/a.test.ts", inputs);
}
