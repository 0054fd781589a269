import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock, type Clock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { bucketSuite } from "../../testing/bucket-suite.ts";
import { bytes, textOf } from "../../testing/suite-fixture.ts";
import { openDirectoryBucket } from "./directory-bucket.ts";

const open = (root: string, clock: Clock = systemClock) =>
  openDirectoryBucket({ root, clock, random: systemRandom });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "forager-bucket-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

bucketSuite({
  name: "directory",
  open: async () => {
    const root = temporaryFolder();
    return { bucket: open(root), openAnother: async () => open(root) };
  },
  deviations: {
    "a key may be the beginning of another":
      "objects are files under their own names, and a folder cannot be a file; it is refused",
  },
});

describe("a bucket in a folder", () => {
  test("that is gone is unavailable, and has not lost its objects", async () => {
    const root = temporaryFolder();
    await using bucket = open(root);
    await bucket.put("a", bytes("1"));
    renameSync(root, `${root}-away`);
    const gone = { kind: "unavailable", code: "bucket_gone" };
    await expect(bucket.get("a")).rejects.toMatchObject(gone);
    await expect(bucket.list("")).rejects.toMatchObject(gone);
    await expect(bucket.putIfAbsent("a", bytes("2"))).rejects.toMatchObject(gone);
    renameSync(`${root}-away`, root);
    expect(await textOf(bucket, "a")).toBe("1");
  });

  test("refuses a key that begins another, or continues from one, and keeps what is there", async () => {
    await using bucket = open(temporaryFolder());
    await bucket.put("a/b", bytes("1"));
    await expect(bucket.put("a", bytes("2"))).rejects.toMatchObject({ code: "bucket_key_taken" });
    const below = bucket.putIfAbsent("a/b/c", bytes("3"));
    await expect(below).rejects.toMatchObject({ kind: "invalid", code: "bucket_key_taken" });
    expect(await textOf(bucket, "a/b")).toBe("1");
    await bucket.delete("a/b");
    expect((await bucket.putIfAbsent("a", bytes("2"))).status).toBe("created");
  });

  test("is plain files, readable and writable by hand", async () => {
    const root = temporaryFolder();
    await using bucket = open(root);
    await bucket.put("records/a.md", bytes("# A"));
    expect(readdirSync(join(root, "records"))).toEqual(["a.md"]);
    writeFileSync(join(root, "records", "a.md"), "# A, edited");
    expect(await textOf(bucket, "records/a.md")).toBe("# A, edited");
  });

  test("leaves no temporary file, and removes old ones of the killed at the next opening", async () => {
    const root = temporaryFolder();
    const fresh = join(root, ".forager", "new");
    {
      await using bucket = open(root);
      await bucket.putIfAbsent("a", bytes("1"));
      await bucket.putIfAbsent("a", bytes("2"));
      expect(readdirSync(fresh)).toEqual([]);
    }
    writeFileSync(join(fresh, "old"), "x");
    writeFileSync(join(fresh, "new"), "x");
    utimesSync(join(fresh, "old"), 1, 1);
    await using again = open(root);
    expect(readdirSync(fresh)).toEqual(["new"]);
    expect((await again.list("")).map(({ key }) => key)).toEqual(["a"]);
  });

  test("a reader of the lock's file delays a write, and breaks neither it nor later ones", async () => {
    const root = temporaryFolder();
    await using bucket = open(root);
    const reader = new Database(join(root, ".forager", "lock.db"));
    onTestFinished(() => void reader.close());
    reader.exec("begin");
    reader.prepare("select * from clock").all();
    const writing = bucket.put("a", bytes("1"));
    setTimeout(() => reader.exec("commit"), 50);
    await writing;
    await using another = open(root);
    await another.put("a", bytes("2"));
    await bucket.put("a", bytes("3"));
    expect(await textOf(another, "a")).toBe("3");
  });

  test("a step that fails leaves the lock free", async () => {
    const root = temporaryFolder();
    await using bucket = open(root);
    await bucket.put("a/b", bytes("1"));
    await expect(bucket.put("a", bytes("2"))).rejects.toMatchObject({ code: "bucket_key_taken" });
    await using another = open(root);
    await another.put("c", bytes("3"));
    await bucket.put("d", bytes("4"));
  });

  test("a step of the wall clock makes no object older", async () => {
    const root = temporaryFolder();
    let stepMs = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + stepMs };
    await using bucket = open(root, clock);
    await bucket.put("a", bytes("1"));
    for (stepMs of [3_600_000, -3_600_000]) {
      await using another = open(root, clock);
      const got = await another.get("a");
      if (got.status !== "found") throw new Error("not there");
      expect(Math.abs(got.seenAtMs - got.modifiedAtMs)).toBeLessThan(10_000);
    }
  });

  test("refuses a folder of a newer version, and another program's file, untouched", async () => {
    const root = temporaryFolder();
    await open(root)[Symbol.asyncDispose]();
    const db = new Database(join(root, ".forager", "lock.db"));
    db.pragma("user_version = 2");
    expect(() => open(root)).toThrow(/newer version \(format 2/);
    db.pragma("application_id = 7");
    expect(() => open(root)).toThrow(/of another program/);
    db.close();
  });

  test("waits for another process's write, and continues when it is done", async () => {
    const root = temporaryFolder();
    await using bucket = open(root);
    const other = new Database(join(root, ".forager", "lock.db"));
    other.exec("begin immediate");
    const put = bucket.putIfAbsent("a", bytes("1"));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await bucket.get("a")).toEqual({ status: "absent" });
    other.exec("commit");
    other.close();
    expect((await put).status).toBe("created");
  });

  test("writes nothing more after its lock was deleted: it would keep nobody out", async () => {
    const root = temporaryFolder();
    await using first = open(root);
    await first.put("k", bytes("1"));
    rmSync(join(root, ".forager", "lock.db"));
    await using second = open(root);
    await second.put("k", bytes("2"));
    await expect(first.put("k", bytes("3"))).rejects.toMatchObject({
      kind: "corrupt",
      code: "bucket_lock_replaced",
    });
    expect(await textOf(second, "k")).toBe("2");
  });

  test("says what to do where it cannot write", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "x");
    expect(() => open(join(file, "below"))).toThrow(/bucket|folder|object/);
  });
});
