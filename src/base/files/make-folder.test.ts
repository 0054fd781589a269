import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "make-folder-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...names: readonly string[]) => join(folder, ...names);

test("makes what is missing, with its mode, and answers the topmost it made", () => {
  expect(makeFolder(at("a", "b", "c"), { mode: 0o700 })).toBe(at("a"));
  expect(statSync(at("a")).mode & 0o777).toBe(0o700);
  expect(statSync(at("a", "b", "c")).mode & 0o777).toBe(0o700);
  expect(makeFolder(at("a", "b", "c"))).toBeUndefined();
  expect(makeFolder(at("a", "b", "d"))).toBe(at("a", "b", "d"));
  expect(makeFolder("/")).toBeUndefined();
  const inside = relative(process.cwd(), at("relative", "path"));
  expect(makeFolder(inside)).toBe(relative(process.cwd(), at("relative")));
  expect(existsSync(at("relative", "path"))).toBe(true);
});

test("a link to a folder is a folder; one to nothing is in the way", () => {
  mkdirSync(at("real"));
  symlinkSync("real", at("link"));
  expect(makeFolder(at("link", "more"))).toBe(at("link", "more"));
  symlinkSync("nothing", at("dangling"));
  expect(() => makeFolder(at("dangling"))).toThrow("is not a folder");
});

describe("ends with a sentence that names the cause:", () => {
  test.each(["/proc/x", "/proc/x/y/z"])("%s, where no folder can be made", (path) => {
    expect(() => makeFolder(path)).toThrow(
      expect.objectContaining({ kind: "invalid", code: "folder_not_allowed" }),
    );
    expect(() => makeFolder(path)).toThrow(
      `cannot create the folder ${path}: /proc does not allow new folders in it`,
    );
  });

  test("/sys/x", () => {
    expect(() => makeFolder("/sys/x/y")).toThrow(/^cannot create the folder \/sys\/x\/y: .*\/sys/);
    expect(() => makeFolder("/sys/x/y")).toThrow(expect.objectContaining({ kind: "invalid" }));
  });

  test("a file in the place of the folder, or of one above it", () => {
    writeFileSync(at("file"), "");
    for (const path of [at("file"), at("file", "x"), at("file", "x", "y")]) {
      expect(() => makeFolder(path)).toThrow(
        expect.objectContaining({ kind: "invalid", code: "folder_is_file" }),
      );
      expect(() => makeFolder(path)).toThrow(
        `cannot create the folder ${path}: ${at("file")} is not a folder`,
      );
    }
  });

  test("a folder that may not be written", () => {
    mkdirSync(at("read-only"));
    chmodSync(at("read-only"), 0o555);
    chmodSync(folder, 0o755);
    const program = `
      const { makeFolder } = await import(${JSON.stringify(import.meta.resolve("./make-folder.ts"))});
      if (process.getuid() === 0) process.setuid(65534);
      try { makeFolder(${JSON.stringify(at("read-only", "x", "y"))}); } catch (error) { console.log(error.message); }`;
    const args = ["--experimental-strip-types", "--input-type=module", "--eval", program];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stdout).toContain(
      `cannot create the folder ${at("read-only", "x", "y")}: not permitted; ` +
        `make ${at("read-only")} writable`,
    );
  });
});
