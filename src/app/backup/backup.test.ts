import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"; // prettier-ignore
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createPaths } from "../../config/index.ts";
import { openBucket } from "../bucket/open-bucket.ts";
import { newHead } from "./backup-format.ts";
import { openBackupStore } from "./backup-store.ts";
import { packBackup } from "./pack-backup.ts";
import { finishRestore, isRestoring } from "./replace-content.ts";
import { listBackups, restoreBackup, verifyBackup } from "./restore-backup.ts";

let top: string;
beforeEach(() => void (top = mkdtempSync(join(tmpdir(), "forager-backup-test-"))));
afterEach(() => rmSync(top, { recursive: true, force: true }));

const { signal } = new AbortController();

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Every file with its content, except those of the lock and of restores. */
function contentOf(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((name) => !/^(?:node\/owner\.|before-restore\/|restoring\/)/.test(name));
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(join(root, name), "utf8")])); // prettier-ignore
}

const oldFiles = { "wal/n/1.usv": "old", "companies/a/_index.md": "old", "node/history.json": "old", "only-old": "old" }; // prettier-ignore
const newFiles = {
  "wal/n/1.usv": "new",
  "ledger/node.json": "{}",
  "companies/a/_index.md": "new",
  "companies/a/_fields.tsv": "new",
  "node/history.json": "new",
};

async function backup(target: string, { at = "2026-11-18T10:00:00.000Z" } = {}): Promise<void> {
  const root = join(top, "source");
  write(root, { ...newFiles, "index/records.db": "derived", "logs/1.jsonl": "a log" });
  const head = newHead({ at, program: "1", queue: "none" });
  await using store = await openBackupStore(target, { cwd: top, signal, isMade: true });
  const leftOut: string[] = [];
  const onSpecial = (name: string) => leftOut.push(name);
  const packed = packBackup({ root, head, queue: undefined, settings: {}, onSpecial, signal });
  await store.write(packed.chunks, at);
}

const restore = (source: string, data: string, more: { at?: string; mayReplace?: boolean } = {}) =>
  restoreBackup({
    paths: createPaths(join(top, data)),
    source,
    at: more.at,
    cwd: top,
    clock: systemClock,
    signal,
    mayReplace: async () => more.mayReplace ?? true,
  });

describe("a backup", () => {
  test("has what counts, and comes back in a new folder", async () => {
    await backup("b.tar.gz");
    expect(await verifyBackup({ source: "b.tar.gz", cwd: top, signal })).toMatchObject({
      files: Object.keys(newFiles).length + 1,
    });
    expect(await restore("b.tar.gz", "data")).toMatchObject({ replaced: undefined });
    expect(contentOf(join(top, "data"))).toEqual(newFiles);
  });

  test("replaces what is there only if that is wanted, and keeps it", async () => {
    await backup("b.tar.gz");
    write(join(top, "data"), oldFiles);
    expect(await restore("b.tar.gz", "data", { mayReplace: false })).toBeUndefined();
    expect(contentOf(join(top, "data"))).toEqual(oldFiles);
    const restored = await restore("b.tar.gz", "data");
    expect(contentOf(join(top, "data"))).toEqual(newFiles);
    expect(contentOf(restored!.replaced!)).toEqual(oldFiles);
  });

  test("of a folder or bucket is chosen by its moment", async () => {
    for (const day of ["16", "17", "18"]) await backup("dir:all", { at: `2026-11-${day}T00:00:00.000Z` }); // prettier-ignore
    const listed = await listBackups({ source: "dir:all", cwd: top, signal });
    expect(listed.map(({ at }) => at.slice(8, 10))).toEqual(["18", "17", "16"]);
    const restored = await restore("dir:all", "data", { at: "2026-11-17T12:00:00.000Z" });
    expect(restored?.head.at).toBe("2026-11-17T00:00:00.000Z");
    await expect(restore("dir:all", "other", { at: "2026-11-15T00:00:00.000Z" })).rejects.toThrow(
      "the oldest backup",
    );
  });

  test("in a folder without its last object does not exist, and a lost part is damage", async () => {
    await backup("dir:all");
    const name = (await listBackups({ source: "dir:all", cwd: top, signal }))[0]?.name ?? "";
    await using bucket = await openBucket(`dir:${join(top, "all")}`);
    await bucket.delete(`${name}/000001.part`);
    await expect(restore("dir:all", "data")).rejects.toThrow("part 1 of 1 is missing");
    await bucket.delete(`${name}/backup.json`);
    expect(await listBackups({ source: "dir:all", cwd: top, signal })).toEqual([]);
  });

  test("is not looked for in a folder that does not exist, and none is made", async () => {
    await expect(listBackups({ source: "dir:none", cwd: top, signal })).rejects.toThrow(
      "there is no folder",
    );
    expect(existsSync(join(top, "none"))).toBe(false);
  });

  test("that is cut, changed or not ours is refused, and nothing is changed", async () => {
    await backup("b.tar.gz");
    const bytes = readFileSync(join(top, "b.tar.gz"));
    write(join(top, "data"), oldFiles);
    const cuts = [0, 1, 20, bytes.length >> 1, bytes.length - 1].map((at) => bytes.subarray(0, at));
    const flipped = [12, bytes.length >> 1, bytes.length - 6].map((at) => {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 0x55;
      return copy;
    });
    for (const wrong of [...cuts, ...flipped, Buffer.from("hello"), gzipSync("hello")]) {
      writeFileSync(join(top, "wrong.tar.gz"), wrong);
      await expect(restore("wrong.tar.gz", "data")).rejects.toMatchObject({
        code: "backup_damaged",
      });
    }
    expect(contentOf(join(top, "data"))).toEqual(oldFiles);
    expect(existsSync(join(top, "data", "restoring"))).toBe(false);
  });

  test.each([
    ["data/../../escaped", "file"],
    ["/etc/escaped", "file"],
    ["elsewhere/escaped", "file"],
    ["data/link", "symlink"],
  ] as const)("with the entry %s (%s) is refused", async (name, type) => {
    const head = JSON.stringify(newHead({ at: "2026-11-18T00:00:00.000Z", program: "1", queue: "none" })); // prettier-ignore
    const entries = [
      {
        header: { name: "forager-backup.json", size: head.length, type: "file" as const },
        body: head,
      },
      type === "file"
        ? { header: { name, size: 1, type }, body: "x" }
        : { header: { name, size: 0, type, linkname: "/etc/passwd" } },
    ];
    writeFileSync(join(top, "hostile.tar.gz"), gzipSync(await packTar(entries)));
    await expect(restore("hostile.tar.gz", "data")).rejects.toMatchObject({
      code: "backup_damaged",
    });
    expect(existsSync(join(top, "escaped"))).toBe(false);
  });

  test("leaves links out, and is not written over a file", async () => {
    write(join(top, "source"), { "companies/b/note": "x" });
    symlinkSync("/etc/passwd", join(top, "source", "companies", "link"));
    await backup("b.tar.gz");
    await expect(backup("b.tar.gz")).rejects.toThrow("there already");
    await restore("b.tar.gz", "data");
    expect(readdirSync(join(top, "data", "companies"))).toEqual(["a", "b"]);
  });
});

test("a restore that ends at any rename is finished by the next command", async () => {
  await backup("b.tar.gz");
  const { renameSync } = fs;
  let crashes = 0;
  for (let left = 1; ; left += 1) {
    const data = `data-${left}`;
    const root = join(top, data);
    write(root, oldFiles);
    let renames = 0;
    fs.renameSync = (from, to) => {
      renames += 1;
      if (renames === left) throw new Error("killed here");
      renameSync(from, to);
    };
    syncBuiltinESMExports();
    const killed = await restore("b.tar.gz", data).then(
      () => false,
      () => true,
    );
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
    if (!killed) break;
    crashes += 1;
    const isNew = isRestoring(root);
    await finishRestore(createPaths(root));
    expect(contentOf(root)).toEqual(isNew ? newFiles : oldFiles);
    if (isNew) {
      const [id] = readdirSync(join(root, "before-restore"));
      expect(contentOf(join(root, "before-restore", id!))).toEqual(oldFiles);
    }
    expect(isRestoring(root)).toBe(false);
  }
  expect(crashes).toBeGreaterThan(8);
});
