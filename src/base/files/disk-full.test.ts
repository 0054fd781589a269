import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { diskFullError } from "./disk-full.ts";

const statfs = vi.hoisted(() => ({ bavail: 1_000_000, bsize: 4_096, files: 100, ffree: 50 }));
vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  statfsSync: () => statfs,
}));

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "disk-full-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const failure = (code: string) => Object.assign(new Error("it failed"), { code });

test.each(["ENOSPC", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"])("%s is a full disk", (code) => {
  const path = join(folder, "not", "there", "queue.db");
  const cause = failure(code);
  const error = diskFullError(cause, path);
  expect(error).toMatchObject({ kind: "unavailable", code: "disk_full", cause });
  expect(error!.message).toMatch(/^the disk at \/\S* is full, so /);
  expect(error!.message).toContain(`${path} cannot be written: free some space on it`);
  expect(error!.message).not.toContain(code);
});

test("a quota that is used up is called so", () => {
  expect(diskFullError(failure("EDQUOT"), folder)!.message).toMatch(/^the quota on the disk at \//);
});

test("any other failure of SQLite's input and output is one only if the disk has no room", () => {
  const found = () => diskFullError(failure("SQLITE_IOERR_FSYNC"), join(folder, "queue.db"));
  expect(found()).toBeUndefined();
  Object.assign(statfs, { bavail: 3 });
  expect(found()).toMatchObject({ code: "disk_full" });
  Object.assign(statfs, { bavail: 1_000_000, ffree: 0 });
  expect(found()).toMatchObject({ code: "disk_full" });
  Object.assign(statfs, { files: 0 }); // a file system that does not count them
  expect(found()).toBeUndefined();
});

test("what has another cause is none", () => {
  for (const code of ["EIO", "EACCES", "SQLITE_BUSY", "SQLITE_CORRUPT"]) {
    expect(diskFullError(failure(code), folder)).toBeUndefined();
  }
  expect(diskFullError("ENOSPC", folder)).toBeUndefined();
});
