// inputs: src/** bin/** scripts/bootstrap.mjs scripts/node/** test/support/old-node/** tsconfig.build.json
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtCli } from "../support/built-cli.ts";
import { bringMsMax, bringOldNode } from "../support/bring-node.ts";
import { libraryEntries, readPackage } from "../support/package-tarball.ts";
import { repositoryRoot } from "../support/repository.ts";

let top = "";
beforeAll(async () => {
  await builtCli();
  top = realpathSync(mkdtempSync(join(tmpdir(), "forager-old-node-")));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

describe.each(["18", "22"] as const)("on a Node %s that is too old", (name) => {
  let node = "";
  let sentence = "";
  let folder = "";

  beforeAll(async () => {
    node = await bringOldNode(name);
    const { stdout } = run(node, ["--version"]);
    sentence =
      `error: Forager needs Node 22.14 or newer, and this is Node ${stdout.trim().slice(1)}: ` +
      "install a newer one (https://nodejs.org), " +
      "or use bin/forager in a checkout, which brings its own\n";
    folder = join(top, `project-${name}`);
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(repositoryRoot, join(folder, "node_modules/forager"));
  }, bringMsMax);

  test.each([
    [[]],
    [["--version"]],
    [["doctor"]],
    [["work", "--handlers", "handlers.mjs"]],
    [["queue", "stats", "--json"]],
    [["demo"]],
  ])("forager %j ends with one sentence", async (args) => {
    const ended = run(node, [await builtCli(), ...args], { cwd: folder });
    expect(ended).toEqual({ status: 1, signal: null, stdout: "", stderr: sentence });
  });

  test.each(libraryEntries())('import "%s" ends with one sentence', (entry) => {
    const program = write("static.mjs", `import "${entry}";\nconsole.log("imported");`);
    const ended = run(node, [program], { cwd: folder });
    expect(ended).toEqual({ status: 1, signal: null, stdout: "", stderr: sentence });
  });

  test("a program that tries the import can catch the error", () => {
    const program = write(
      "catch.mjs",
      [
        'const error = await import("forager/queue").catch((thrown) => thrown);',
        "console.log(error instanceof Error, error.message);",
        'process.on("exit", () => console.log("goes on"));',
      ].join("\n"),
    );
    const words = sentence.replace("error: ", "");
    expect(run(node, [program], { cwd: folder })).toEqual({
      status: 0,
      signal: null,
      stdout: `true ${words}goes on\n`,
      stderr: "",
    });
  });

  test("other errors of such a program are shown as ever", () => {
    const program = write(
      "other.mjs",
      'await import("forager/usv").catch(() => {});\nthrow new TypeError("another one");',
    );
    const { status, stderr } = run(node, [program], { cwd: folder });
    expect(status).toBe(1);
    expect(stderr).toMatch(/TypeError: another one\n +at .*other\.mjs/);
  });

  test("a program that handles its errors itself gets this one too", () => {
    const program = write(
      "handler.mjs",
      [
        'process.on("uncaughtException", ({ message }) => console.log(`handled: ${message}`));',
        'import("forager/queue");',
      ].join("\n"),
    );
    const { stdout, stderr } = run(node, [program], { cwd: folder });
    expect({ stdout, stderr }).toEqual({
      stdout: sentence.replace("error", "handled"),
      stderr: "",
    });
  });

  function write(file: string, text: string): string {
    writeFileSync(join(folder, file), text);
    return join(folder, file);
  }
});

describe("bin/forager where the only Node on the path is too old", () => {
  let env: NodeJS.ProcessEnv = {};
  let checkout = "";

  beforeAll(async () => {
    const path = join(top, "path");
    mkdirSync(path);
    symlinkSync(await bringOldNode("18"), join(path, "node"));
    for (const tool of ["sh", "dirname", "readlink"])
      symlinkSync(run("which", [tool]).stdout.trim(), join(path, tool));
    env = { PATH: path };
    checkout = makeCheckout();
  }, bringMsMax);

  test("runs the built program with the Node that was brought", () => {
    const { version } = readPackage();
    const ok = { status: 0, signal: null, stdout: `${version}\n`, stderr: "" };
    const program = join(checkout, "bin/forager");
    expect(run(program, ["--version"], { cwd: checkout, env })).toEqual(ok);

    // From another folder, by an absolute link, and by a relative link to that link.
    const other = join(top, "other folder");
    mkdirSync(other);
    symlinkSync(program, join(other, "absolute"));
    symlinkSync("absolute", join(other, "relative"));
    for (const link of ["./absolute", "./relative", program])
      expect(run(link, ["--version"], { cwd: other, env })).toEqual(ok);
    expect(run(join(other, "relative"), ["--version"], { cwd: "/", env })).toEqual(ok);
    const asCommand = { PATH: `${other}:${env["PATH"]!}` };
    expect(run("sh", ["-c", "relative --version"], { cwd: "/", env: asCommand })).toEqual(ok);
  });

  test("builds first where nothing is built yet, with the Node that was brought", () => {
    rmSync(join(checkout, "dist"));
    // bin/forager needs no more of a build than that the program is there.
    const program = 'console.log(process.version, process.argv.slice(2).join("+"));';
    writeFileSync(
      join(checkout, "scripts/build.ts"),
      [
        'import { mkdirSync, writeFileSync } from "node:fs";',
        'mkdirSync("dist/cli", { recursive: true });',
        `writeFileSync("dist/cli/main.js", ${JSON.stringify(program)});`,
        "process.stderr.write(`built with ${process.version}\\n`);",
      ].join("\n"),
    );
    const ended = run(join(checkout, "bin/forager"), ["a b", "c"], { cwd: "/", env });
    expect(ended).toEqual({
      status: 0,
      signal: null,
      stdout: `${process.version} a b+c\n`,
      stderr: `built with ${process.version}\n`,
    });
  });

  /** A checkout as `npm start` leaves it: packages installed, Node brought, the program built. */
  function makeCheckout(): string {
    const folder = join(top, "checkout");
    for (const path of ["bin/forager", "scripts/bootstrap.mjs", "scripts/node", "package.json"])
      cpSync(join(repositoryRoot, path), join(folder, path), { recursive: true });
    for (const path of ["dist", "docs"])
      symlinkSync(join(repositoryRoot, path), join(folder, path));

    const lock = join(folder, "scripts/node/24/package-lock.json");
    mkdirSync(join(folder, ".cache/node/bin"), { recursive: true });
    writeFileSync(join(folder, ".cache/node/stamp"), sha256(lock));
    symlinkSync(process.execPath, join(folder, ".cache/node/bin/node"));

    const packages = join(folder, "package-lock.json");
    writeFileSync(packages, "{}");
    const platform = `${process.platform}-${process.arch}`;
    const tsx = join(folder, "node_modules/tsx");
    mkdirSync(dirname(tsx), { recursive: true });
    symlinkSync(join(repositoryRoot, "node_modules/tsx"), tsx);
    const stamp = JSON.stringify({ lock: sha256(packages), platform });
    writeFileSync(join(folder, "node_modules/.forager-stamp.json"), stamp);
    return folder;
  }
});

interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

function run(program: string, args: readonly string[], options: RunOptions = {}) {
  const { error, status, signal, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
    ...options,
  });
  if (error) throw error;
  return { status, signal, stdout, stderr };
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
