// needs: otheruser
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { needs } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await createSandbox()));
afterAll(() => sandbox.remove());

const commands = ["company add Foo", "company list", "records check"].map((line) =>
  line.split(" "),
);

/** One sentence that says what is wrong and what to do, and an exit code that is not 0. */
async function refusal(data: string, args: readonly string[], uid?: number): Promise<string> {
  const options = uid === undefined ? {} : { uid };
  const { exitCode, stderr, stdout } = await sandbox.forager([...args, "--data", data], options);
  expect([1, 2], `${args.join(" ")}: ${stdout}`).toContain(exitCode);
  expect(stderr.trim().split("\n"), stderr).toHaveLength(1);
  expect(stderr).not.toContain("this is a bug");
  return stderr;
}

test.skipIf(process.platform !== "linux").each(["/proc/x", "/sys/x", "/dev/x", "/proc"])(
  "--data %s is refused by reads and writes, at once",
  async (data) => {
    for (const args of commands) {
      expect(await refusal(data, args)).toContain("pseudo file system");
    }
  },
);

test("--data in a loop of links is refused by reads and writes", async () => {
  symlinkSync("loop-b", join(sandbox.folder, "loop-a"));
  symlinkSync("loop-a", join(sandbox.folder, "loop-b"));
  for (const args of commands) expect(await refusal("loop-a", args)).toContain("form a loop");
});

needs(["otheruser"], ({ otheruser: { uid } }) => {
  test("a folder that one may only read, and one of another user", async () => {
    for (const folder of [dirname(sandbox.folder), sandbox.folder]) chmodSync(folder, 0o755);
    mkdirSync(join(sandbox.folder, "read-only"));
    chmodSync(join(sandbox.folder, "read-only"), 0o555);
    const write = ["company", "add", "Foo"];
    expect(await refusal("read-only", write, uid)).toContain("not permitted; make ");
    const options = { uid };
    const read = await sandbox.forager(["company", "list", "--data", "read-only"], options);
    expect([read.exitCode, read.stdout]).toEqual([0, expect.stringContaining("no companies in")]);
    await sandbox.forager(["company", "add", "Mine", "--data", "mine"]);
    // Of another user who lets everybody read it.
    const theirs = join(sandbox.folder, "theirs");
    await sandbox.forager(["company", "add", "Theirs", "--data", "theirs"]);
    for (const name of ["", ...readdirSync(theirs, { recursive: true, encoding: "utf8" })]) {
      const path = join(theirs, name);
      chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    }
    const sentence = await refusal("theirs", write, uid);
    expect(sentence).toContain(`the data folder ${theirs} cannot be written by this user`);
    expect(sentence).toContain("run this as the user that owns it");
    for (const args of commands) {
      expect(await refusal("mine", args, uid)).toContain("may not enter a folder");
    }
  });
});
