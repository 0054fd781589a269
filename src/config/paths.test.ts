import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createPaths } from "./paths.ts";
import { createTempFolder } from "./testing/temp-folder.ts";

const refusal = { kind: "invalid", code: "path_refused" };

test("the known paths are below the root, which need not exist", () => {
  const paths = createPaths("/nowhere/at/all/");
  expect(paths.root()).toBe("/nowhere/at/all");
  expect(paths.queueFile()).toBe("/nowhere/at/all/queue.db");
  expect(paths.queueFile("tasks/mine.db")).toBe("/nowhere/at/all/tasks/mine.db");
  expect(paths.logs()).toBe("/nowhere/at/all/logs");
  expect(paths.cache()).toBe("/nowhere/at/all/cache");
  expect(paths.resolve("a b", "ç.md", "d/e")).toBe("/nowhere/at/all/a b/ç.md/d/e");
});

test.each([
  [".."],
  ["a/../b"],
  ["a", ".."],
  ["."],
  [""],
  ["a", ""],
  ["a//b"],
  ["a/"],
  ["/etc/passwd"],
  ["a", "/etc"],
  ["\\etc"],
  ["a\\..\\b"],
  ["C:"],
  ["C:\\x"],
  ["a:stream"],
  ["a\0b"],
  ["a\nb"],
  ["CON"],
  ["a", "nul.txt"],
  ["Lpt1"],
  ["com¹.log"],
  ["conin$"],
  ["aux .md"],
  ["trailing."],
  ["trailing "],
  ["..."],
  [".. "],
  ["a?"],
  ["ü".repeat(128)],
])("%j is refused", (...segments) => {
  const paths = createPaths(createTempFolder());
  expect(() => paths.resolve(...segments)).toThrow(expect.objectContaining(refusal) as Error);
  expect(() => paths.queueFile(segments.join("/"))).toThrow(AppError);
});

test("a refusal says which path and why", () => {
  const paths = createPaths(createTempFolder());
  expect(() => paths.resolve("a", "../b")).toThrow(
    'path "a/../b" is refused: it must not contain . or ..',
  );
  expect(() => paths.resolve("x/nul.md")).toThrow("Windows reserves the name");
});

test.each(["console", "nullable.md", "com10", "aux-1", ".hidden", "a..b", "ü".repeat(127)])(
  "%s is a plain name",
  (name) => {
    const root = createTempFolder();
    expect(createPaths(root).resolve(name)).toBe(join(root, name));
  },
);

test("a root that is relative or no path is refused", () => {
  for (const root of ["", "data", "./data", "/da\0ta"]) {
    expect(() => createPaths(root)).toThrow(expect.objectContaining(refusal) as Error);
  }
});

test("a link is followed: out of the root is refused, within it is not", () => {
  const folder = createTempFolder({ "root/inner/file": "", "rooted/file": "", "outside/file": "" });
  const root = join(folder, "root");
  symlinkSync("../outside", join(root, "out"));
  symlinkSync("../rooted", join(root, "sibling")); // shares the root's name as a prefix
  symlinkSync("../outside/new", join(root, "dangling"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync("inner", join(root, "in"));
  symlinkSync("..", join(root, "inner/up"));
  const paths = createPaths(root);
  for (const path of ["out", "out/file", "out/new/deep", "sibling/file", "inner/up/out/x"]) {
    expect(() => paths.resolve(path), path).toThrow("leads out of the data folder");
  }
  for (const path of ["dangling", "dangling/x", "loop", "loop/x"]) {
    expect(() => paths.resolve(path), path).toThrow(expect.objectContaining(refusal) as Error);
  }
  expect(paths.resolve("in/file")).toBe(join(root, "in/file"));
  expect(paths.resolve("inner/up/inner/new")).toBe(join(root, "inner/up/inner/new"));
});

test("the known paths are checked for links too", () => {
  const folder = createTempFolder({ "outside/file": "" });
  mkdirSync(join(folder, "root"));
  for (const name of ["logs", "cache", "queue.db"])
    symlinkSync("../outside", join(folder, "root", name));
  const paths = createPaths(join(folder, "root"));
  expect(() => paths.logs()).toThrow(AppError);
  expect(() => paths.cache()).toThrow(AppError);
  expect(() => paths.queueFile()).toThrow(AppError);
});

test("the root itself may be a link", () => {
  const folder = createTempFolder({ "real/a": "" });
  symlinkSync("real", join(folder, "root"));
  const paths = createPaths(join(folder, "root"));
  expect(paths.resolve("a")).toBe(join(folder, "root/a"));
});

test("no input escapes: what is accepted can be written, and nothing outside changes", () => {
  const folder = createTempFolder({ "outside/file": "" });
  const root = join(folder, "root");
  const part = fc.oneof(
    fc.constantFrom("..", ".", "", "a", "out", "dangling", "in", "NUL", "~", "%2e%2e", "‥", "．．"),
    fc.string({ unit: fc.constantFrom(..."./\\a:\0 ~".split("")), maxLength: 5 }),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const segment = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
  const makeRoot = () => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(join(root, "a"), { recursive: true });
    symlinkSync("../outside", join(root, "out"));
    symlinkSync("../new", join(root, "dangling"));
    symlinkSync("a", join(root, "in"));
  };
  makeRoot();
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 3 }), (segments) => {
      let path: string;
      try {
        path = createPaths(root).resolve(...segments, "file.txt");
      } catch (error) {
        expect(error).toMatchObject(refusal);
        return;
      }
      accepted++;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "written");
      expect(realpathSync(path).startsWith(root + sep)).toBe(true);
      expect(readdirSync(folder).sort()).toEqual(["outside", "root"]);
      expect(readdirSync(join(folder, "outside"))).toEqual(["file"]);
      makeRoot();
    }),
    { numRuns: 1000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test("links that lead in a circle are reported in words", () => {
  const loop = join(createTempFolder(), "loop");
  symlinkSync("loop", loop);
  for (const root of [loop, join(loop, "data")]) {
    expect(() => createPaths(root).resolve("wal")).toThrow(
      "symbolic links in the path form a loop",
    );
    expect(() => createPaths(root).root()).toThrow("symbolic links in the path form a loop");
  }
});
