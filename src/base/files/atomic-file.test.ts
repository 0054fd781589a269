// process: own
// inputs: src/base/**
import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isTemporaryFile, translateFileError, writeFileAtomic } from "./atomic-file.ts";
import { sleep, systemClock } from "../clock.ts";
import { createSeededRandom } from "../random.ts";

let folder = "";
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "atomic-file-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await fs.rm(folder, { recursive: true, force: true });
});

const modeOf = async (path: string) => (await fs.stat(path)).mode & 0o7777;

/** What all open files share, to watch their methods. */
async function fileHandles() {
  const file = await fs.open(folder, "r");
  await file.close();
  return Object.getPrototypeOf(file) as typeof file;
}

describe("writeFileAtomic", () => {
  test("writes text and bytes, new and over what was there, and leaves nothing else", async () => {
    const path = join(folder, "state.usv");
    await writeFileAtomic(path, "früher\n");
    expect(await fs.readFile(path, "utf8")).toBe("früher\n");
    await writeFileAtomic(path, Uint8Array.of(0, 255, 10));
    expect([...(await fs.readFile(path))]).toEqual([0, 255, 10]);
    await writeFileAtomic(path, "");
    expect(await fs.readFile(path, "utf8")).toBe("");
    expect(await fs.readdir(folder)).toEqual(["state.usv"]);
  });

  test("takes a name as long as the file system allows", async () => {
    const name = "n".repeat(255);
    await writeFileAtomic(join(folder, name), "text");
    expect(await fs.readdir(folder)).toEqual([name]);
  });

  test("gives the mode asked for whatever the umask, else keeps the mode that was there", async () => {
    const path = join(folder, "secret");
    await writeFileAtomic(path, "1", { mode: 0o666 });
    expect(await modeOf(path)).toBe(0o666);
    await writeFileAtomic(path, "2", { mode: 0o600 });
    expect(await modeOf(path)).toBe(0o600);
    await writeFileAtomic(path, "3");
    expect(await modeOf(path)).toBe(0o600);
    const fresh = join(folder, "fresh");
    await writeFileAtomic(fresh, "4");
    const plain = join(folder, "plain");
    await fs.writeFile(plain, "4");
    expect(await modeOf(fresh)).toBe(await modeOf(plain));
  });

  test("a file that was open to all is never so with new, secret content", async () => {
    const path = join(folder, "secret");
    await fs.writeFile(path, "public", { mode: 0o644 });
    const open = vi.spyOn(fs, "open");
    await writeFileAtomic(path, "secret", { mode: 0o600 });
    expect(open.mock.calls[0]!.slice(1)).toEqual(["wx", 0o600]);
    expect(await modeOf(path)).toBe(0o600);
  });

  test("replaces a symbolic link and leaves alone what it pointed to", async () => {
    const [outside, link] = [join(folder, "outside"), join(folder, "link")];
    await fs.writeFile(outside, "old");
    await fs.symlink(outside, link);
    await writeFileAtomic(link, "new");
    expect(await fs.readFile(outside, "utf8")).toBe("old");
    expect(await fs.readFile(link, "utf8")).toBe("new");
    expect((await fs.lstat(link)).isFile()).toBe(true);
  });

  test("syncs the file, then renames it, then syncs the folder", async () => {
    const sync = vi.spyOn(await fileHandles(), "sync");
    const [open, rename] = [vi.spyOn(fs, "open"), vi.spyOn(fs, "rename")];
    await writeFileAtomic(join(folder, "state"), "text");
    expect(open.mock.calls[1]![0]).toBe(folder);
    expect(sync.mock.contexts[0]).toBe(await open.mock.results[0]!.value);
    expect(sync.mock.contexts[1]).toBe(await open.mock.results[1]!.value);
    const [syncFile, syncFolder] = sync.mock.invocationCallOrder;
    const [renamed] = rename.mock.invocationCallOrder;
    expect(syncFile!).toBeLessThan(renamed!);
    expect(renamed!).toBeLessThan(syncFolder!);
  });

  test("many writers at once: the last one wins, whole", async () => {
    const path = join(folder, "state");
    const texts = Array.from({ length: 20 }, (_, index) => `${index},`.repeat(5000));
    await Promise.all(texts.map((text) => writeFileAtomic(path, text)));
    expect(texts).toContain(await fs.readFile(path, "utf8"));
    expect(await fs.readdir(folder)).toEqual(["state"]);
  });
});

describe("a write that fails", () => {
  test("onto a folder says so, and removes what it had written", async () => {
    const path = join(folder, "taken");
    await fs.mkdir(path);
    await expect(writeFileAtomic(path, "text")).rejects.toMatchObject({
      kind: "invalid",
      code: "path_is_folder",
      message: `cannot write ${path}: it is a folder; move it away or choose another name (EISDIR)`,
      cause: { code: "EISDIR" },
    });
    expect(await fs.readdir(folder)).toEqual(["taken"]);
  });

  test("in a folder that is missing, or a file, names the folder to create", async () => {
    const missing = writeFileAtomic(join(folder, "none", "state"), "text");
    await expect(missing).rejects.toMatchObject({ kind: "invalid", code: "folder_missing" });
    await expect(missing).rejects.toThrow(`${join(folder, "none")} is not a folder; create it`);
    await fs.writeFile(join(folder, "file"), "");
    const under = writeFileAtomic(join(folder, "file", "state"), "text");
    await expect(under).rejects.toMatchObject({ kind: "invalid", code: "folder_missing" });
  });

  test("where it is not permitted says what to change", async () => {
    const path = join(folder, "state");
    await writeFileAtomic(path, "old");
    await fs.chmod(folder, 0o555);
    const isRoot = process.geteuid!() === 0; // whom permissions do not stop
    if (isRoot) process.seteuid!(65534);
    try {
      await expect(writeFileAtomic(path, "new")).rejects.toMatchObject({
        kind: "invalid",
        code: "file_not_permitted",
        message: expect.stringContaining(`make ${folder} writable for the user this runs as (EAC`),
      });
    } finally {
      if (isRoot) process.seteuid!(0);
      await fs.chmod(folder, 0o755);
    }
    expect(await fs.readFile(path, "utf8")).toBe("old");
    expect(await fs.readdir(folder)).toEqual(["state"]);
  });

  test("on a full disk keeps the old content and removes what it had written", async () => {
    const path = join(folder, "state");
    await writeFileAtomic(path, "old");
    const full = await fs.open("/dev/full", "w");
    const write = vi.spyOn(await fileHandles(), "writeFile");
    write.mockImplementation((data) => fs.writeFile(full, data as string));
    await expect(writeFileAtomic(path, "new")).rejects.toMatchObject({
      kind: "unavailable",
      code: "disk_full",
      message: expect.stringContaining(`is full, so ${path} cannot be written: free some space`),
    });
    await full.close();
    expect(await fs.readFile(path, "utf8")).toBe("old");
    expect(await fs.readdir(folder)).toEqual(["state"]);
  });

  test.each([
    ["EACCES", "invalid", "file_not_permitted", "make /data writable for the user this runs as"],
    ["EPERM", "invalid", "file_not_permitted", "make /data writable for the user this runs as"],
    ["EROFS", "invalid", "disk_read_only", "remount it writable or choose a folder on another"],
    ["EISDIR", "invalid", "path_is_folder", "move it away or choose another name"],
    ["ENAMETOOLONG", "invalid", "file_name_too_long", "choose a shorter one"],
    ["EMFILE", "unavailable", "too_many_open_files", "raise ulimit -n"],
    ["EIO", "unavailable", "file_write_failed", "check the disk"],
  ])("%s is %s %s, and says: %s", (systemCode, kind, code, whatToDo) => {
    const cause = Object.assign(new Error(systemCode), { code: systemCode, syscall: "write" });
    const error = translateFileError(cause, "/data/state");
    expect(error).toMatchObject({ name: "AppError", kind, code, cause });
    expect(String(error)).toContain(`cannot write /data/state: `);
    expect(String(error)).toContain(`${whatToDo} (${systemCode})`);
  });

  test("for a reason that is not the file system's passes as it is", async () => {
    const bug = new TypeError("not our business");
    expect(translateFileError(bug, "/data/state")).toBe(bug);
    const write = writeFileAtomic(join(folder, "state"), 42 as unknown as string);
    await expect(write).rejects.toThrow(TypeError);
    expect(await fs.readdir(folder)).toEqual([]);
  });
});

test("a writer killed with -9 at any moment never leaves a file that is not whole", async () => {
  const bytes = 300_000;
  const path = join(folder, "state");
  const writer = fileURLToPath(new URL("../testing/atomic-file-writer.ts", import.meta.url));
  const random = createSeededRandom(5);
  const seen = new Set<string>();
  let reads = 0;
  const readWhole = async () => {
    const text = await fs.readFile(path, "utf8");
    expect(text.length).toBe(bytes);
    expect(text).toBe(text[0]!.repeat(bytes));
    seen.add(text[0]!);
    reads++;
  };

  const endMs = systemClock.monotonicMs() + 3000;
  let kills = 0;
  for (; kills < 4 || (systemClock.monotonicMs() < endMs && kills < 20); kills++) {
    const child = fork(writer, [path, `${bytes}`], { execArgv: ["--import", "tsx"] });
    const exited = once(child, "exit");
    try {
      await once(child, "message"); // the first write is done, the second has begun
      const killAtMs = systemClock.monotonicMs() + random.below(60);
      while (systemClock.monotonicMs() < killAtMs) {
        await readWhole();
        await sleep(systemClock, 1);
      }
    } finally {
      child.kill("SIGKILL"); // also when a read was not whole
    }
    expect(await exited).toEqual([null, "SIGKILL"]);
    await readWhole();
  }
  expect(reads).toBeGreaterThan(kills);
  expect(seen.size).toBeGreaterThan(1); // the reader did see the file change
  const others = (await fs.readdir(folder)).filter((name) => name !== "state");
  expect(others.filter((name) => !isTemporaryFile(name))).toEqual([]);
  expect(others.length).toBeLessThanOrEqual(kills);
});
