import { constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRegularFile, readRegularFile, readRegularFileSync } from "./regular-file.ts";
import { device, linkTo, namedPipe, socket, type SpecialFile } from "../testing/special-files.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "regular-file-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const specials: readonly (readonly [string, SpecialFile])[] = [
  ["a named pipe", namedPipe],
  ["a socket", socket],
  ["a device", device],
  ["a link to a file", linkTo("other")],
  ["a link to a device", linkTo("/dev/zero")],
  ["a link to nothing", linkTo("nowhere")],
  ["a link to a folder", linkTo("..")],
];

test("a regular file is read, also an empty one; a missing one is distinguished", async () => {
  const path = join(folder, "file");
  expect(readRegularFileSync(path)).toBeUndefined();
  await expect(readRegularFile(path)).rejects.toMatchObject({ code: "ENOENT" });
  for (const text of ["", "text\n"]) {
    writeFileSync(path, text);
    expect(readRegularFileSync(path)?.toString()).toBe(text);
    expect((await readRegularFile(path)).toString()).toBe(text);
  }
});

describe("is refused at once, and never opened:", () => {
  test.each(specials)("%s", async (_, special) => {
    const path = join(folder, "file");
    writeFileSync(join(folder, "other"), "not to be read");
    await using _made = await special.make(path);
    const refused = { kind: "invalid", code: "not_a_regular_file" };
    expect(() => readRegularFileSync(path)).toThrow(expect.objectContaining(refused));
    expect(() => readRegularFileSync(path)).toThrow(`${path} is ${special.words}`);
    await expect(readRegularFile(path)).rejects.toMatchObject(refused);
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    await expect(openRegularFile(path, flags)).rejects.toMatchObject(refused);
    expect(readFileSync(join(folder, "other"), "utf8")).toBe("not to be read");
  });

  test("a folder", async () => {
    const path = join(folder, "file");
    mkdirSync(path);
    expect(() => readRegularFileSync(path)).toThrow(`${path} is a folder`);
    await expect(readRegularFile(path)).rejects.toMatchObject({ code: "not_a_regular_file" });
  });
});

test("a file that is not there is created, with its mode, if the flags say so", async () => {
  const path = join(folder, "file");
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  for (const text of ["one ", "two"]) {
    await using file = await openRegularFile(path, flags, 0o600);
    await file.appendFile(text);
    expect((await file.stat()).mode & 0o777).toBe(0o600);
  }
  expect(readFileSync(path, "utf8")).toBe("one two");
});
