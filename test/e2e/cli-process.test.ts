// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.remove());

/** A program with the built frame and commands that last, print much or are broken. */
function writeProgram(): string {
  const frame = pathToFileURL(join(repositoryRoot, "dist/cli/frame/run-process.js")).href;
  const file = join(sandbox.folder, "program.mjs");
  writeFileSync(
    file,
    `import { runProcess } from ${JSON.stringify(frame)};
    const command = (name, run) => ({
      name, summary: name, load: async () => ({ needs: "nothing", examples: [], run }),
    });
    const busy = () => new Promise(() => setInterval(() => {}, 1_000));
    await runProcess({ nouns: {}, commands: [
      command("polite", ({ signal, out }) => new Promise((resolve) => {
        const timer = setInterval(() => {}, 1_000);
        signal.addEventListener("abort", () => (clearInterval(timer), resolve()));
        out.result(0, "ready");
      })),
      command("service", ({ signal, out }) => new Promise((resolve) => {
        const timer = setInterval(() => {}, 1_000);
        signal.addEventListener("abort", () => (clearInterval(timer), resolve("stopped")));
        out.result(0, "ready");
      })),
      command("deaf", ({ out }) => (out.result(0, "ready"), busy())),
      command("long", async ({ out }) => out.result(0, "a line\\n".repeat(200_000))),
      command("endless", ({ signal, out }) => new Promise((resolve) => {
        const timer = setInterval(() => out.result(0, "a line\\n".repeat(1_000)), 1);
        signal.addEventListener("abort", () => (clearInterval(timer), resolve()));
      })),
      command("noisy", async ({ out }) => {
        for (let line = 0; line < 50_000; line++) out.note("a note");
        out.result(0, "the result");
      }),
      command("stray", ({ out }) => (setTimeout(() => { throw new TypeError("stray"); }), busy())),
      { name: "unloadable", summary: "", load: () => import("./absent.mjs") },
    ] });`,
  );
  return file;
}

test("a pipe that closes early is quiet, however much is left to print", async () => {
  writeProgram();
  const script = (line: string) => `${line}; echo "\${PIPESTATUS[@]}"`;
  for (const command of ["long", "endless"]) {
    const line = script(`"${process.execPath}" program.mjs ${command} | head -1`);
    const result = await sandbox.run("bash", ["-c", line]);
    expect(result).toEqual({ exitCode: 0, stdout: "a line\n0 0\n", stderr: "" });
  }
});

test("every command of ours is quiet when nobody reads", async () => {
  for (const command of ["--help", "config show", "doctor", "completion bash"]) {
    // The reader is gone before the first line is written.
    const program = `{ sleep 0.2; "${process.execPath}" "$FORAGER_TEST_MAIN" ${command}; }`;
    const line = `set -o pipefail; ${program} | head -c 0`;
    const result = await sandbox.run("bash", ["-c", line]);
    expect(result, command).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  }
});

test("a long result is whole in a pipe that is read", async () => {
  const result = await sandbox.run(process.execPath, [writeProgram(), "long"]);
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(result.stdout.length).toBe("a line\n".length * 200_000);
});

test("a result is printed even when nobody reads the notes", async () => {
  writeProgram();
  const line = `"${process.execPath}" program.mjs noisy 2> >(head -c 0)`;
  const result = await sandbox.run("bash", ["-c", line]);
  expect(result).toEqual({ exitCode: 0, stdout: "the result\n", stderr: "" });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s asks the command to stop and the exit code is %d", async (signal, exitCode) => {
  const result = await sandbox.run(process.execPath, [writeProgram(), "polite"], {
    onStdout: (_, kill) => kill(signal),
  });
  expect(result).toEqual({
    exitCode,
    stdout: "ready\n",
    stderr: "forager: stopping; press Ctrl-C again to stop now\n",
  });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 0],
] as const)("a service that stops in good order on %s exits with %d", async (signal, exitCode) => {
  const result = await sandbox.run(process.execPath, [writeProgram(), "service"], {
    onStdout: (_, kill) => kill(signal),
  });
  expect(result).toMatchObject({ exitCode, stdout: "ready\n" });
});

test("a second Ctrl-C ends a command that does not listen", async () => {
  const startedAtMs = Date.now();
  const result = await sandbox.run(process.execPath, [writeProgram(), "deaf"], {
    onStdout: (_, kill) => {
      kill("SIGINT");
      // Signals that wait are not counted: the second must come after the first was seen.
      setTimeout(() => kill("SIGINT"), 500);
    },
  });
  expect(result.exitCode).toBe(130);
  expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(500);
});

test("an error that nobody caught is reported like any other", async () => {
  const program = writeProgram();
  for (const command of ["stray", "unloadable"]) {
    const { exitCode, stderr } = await sandbox.run(process.execPath, [program, command]);
    expect(exitCode, command).toBe(1);
    expect(stderr, command).toMatch(/^forager: unexpected [^\n]+ - this is a bug[^\n]+\n$/);
  }
});

test("--help loads next to nothing", async () => {
  const file = join(sandbox.folder, "loaded");
  // ES modules are seen as they are resolved, CommonJS ones are in the cache at the end.
  const resolver = join(sandbox.folder, "resolver.mjs");
  const recorder = join(sandbox.folder, "recorder.mjs");
  writeFileSync(
    resolver,
    `import { appendFileSync } from "node:fs";
    export async function resolve(specifier, context, next) {
      const found = await next(specifier, context);
      appendFileSync(${JSON.stringify(file)}, found.url + "\\n");
      return found;
    }`,
  );
  writeFileSync(
    recorder,
    `import { createRequire, register } from "node:module";
    import { appendFileSync } from "node:fs";
    register("./resolver.mjs", import.meta.url);
    const { cache } = createRequire(import.meta.url);
    const append = () => appendFileSync(${JSON.stringify(file)}, Object.keys(cache).join("\\n"));
    process.on("exit", append);`,
  );
  const loadedBy = async (...args: string[]) => {
    writeFileSync(file, "");
    const main = join(repositoryRoot, "dist/cli/main.js");
    const { exitCode } = await sandbox.run(process.execPath, ["--import", recorder, main, ...args]);
    expect(exitCode).toBe(0);
    const lines = readFileSync(file, "utf8").split("\n");
    const files = [...new Set(lines)].filter((line) => line !== "" && !line.startsWith("node:"));
    return files.flatMap((path) => (path.includes("/dist/") ? modulesOf(path) : path));
  };
  // A file of the bundle names each of its modules in a comment.
  const modulesOf = (url: string) =>
    readFileSync(fileURLToPath(url), "utf8").match(
      /(?<=^\/\/#region )(?:src|node_modules)\/\S+$/gm,
    ) ?? [];
  const heavy = /node_modules\/(zod|pino|better-sqlite3|pg|smol-toml)\//;

  const forHelp = await loadedBy("--help");
  expect(forHelp.filter((path) => heavy.test(path))).toEqual([]);
  const packages = forHelp.flatMap((path) => /node_modules\/([^/]+)/.exec(path)?.[1] ?? []);
  expect(new Set(packages)).toEqual(new Set(["commander"]));
  // Of the commands only names and summaries, which the index files have.
  const commands = forHelp.filter((path) => path.includes("/cli/commands/"));
  expect(commands.filter((path) => !path.endsWith("/index.ts"))).toEqual([]);
  expect(forHelp.length - commands.length).toBeLessThan(55);
  // Proof that the record would have shown them.
  const forDoctor = (await loadedBy("doctor")).join("\n");
  for (const name of ["zod", "pino", "better-sqlite3"]) {
    expect(forDoctor).toContain(`node_modules/${name}/`);
  }
});
