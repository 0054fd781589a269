// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { registry } from "../../src/cli/registry.ts";
import { runCli } from "../../src/cli/frame/run-cli.ts";
import { createTestStream } from "../../src/cli/testing/test-stream.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
});
afterEach(() => sandbox.remove());

const forager = (line: string, env: Readonly<Record<string, string>> = {}) =>
  sandbox.forager(line.split(" ").filter(Boolean), { env });
const writeSettings = (text: string) => {
  const file = join(sandbox.folder, "forager.toml");
  writeFileSync(file, text);
  return file;
};
const oneLine = /^forager: [^\n]+\n$/;

test("the version is that of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
    version: string;
  };
  expect(await forager("--version")).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
});

test("an unknown flag is a usage error that names the nearest one", async () => {
  const { exitCode, stdout, stderr } = await forager("config show --jsno");
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(oneLine);
  expect(stderr).toContain("unknown option '--jsno' (did you mean --json?)");
});

test("an unknown command is a usage error that names the nearest one", async () => {
  const { exitCode, stdout, stderr } = await forager("docter");
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(oneLine);
  expect(stderr).toContain("there is no command 'docter' (did you mean `forager doctor`?)");
});

test("a wrong key in forager.toml stops with file, line and the nearest key", async () => {
  const file = writeSettings('[log]\n\nlevl = "info"\n');
  const { exitCode, stdout, stderr } = await forager("config show");
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(oneLine);
  expect(stderr).toContain(`${file}:3`);
  expect(stderr).toContain("log.level");
});

test("several wrong settings are all reported at once", async () => {
  writeSettings('[log]\nlevel = "loud"\n');
  const { exitCode, stderr } = await forager("config show", { FORAGER_LOG_LEVLE: "info" });
  expect(exitCode).toBe(2);
  expect(stderr.split("\n")).toHaveLength(4); // what is below, two problems, the end
  expect(stderr).toContain("FORAGER_LOG_LEVLE");
});

test("with --json an error is one JSON object on stderr", async () => {
  writeSettings("nonsense = 1\n");
  const { exitCode, stdout, stderr } = await forager("config show --json");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  const { error } = JSON.parse(stderr) as { error: Record<string, string> };
  expect(error).toMatchObject({ kind: "invalid", code: "settings_invalid" });
  expect(error["message"]).toContain("nonsense");

  const usage = await forager("config shwo --json");
  expect(JSON.parse(usage.stderr)).toMatchObject({ error: { kind: "invalid", code: "usage" } });
});

test("--verbose shows where an error comes from", async () => {
  writeSettings("nonsense = 1\n");
  expect((await forager("config show --verbose")).stderr).toMatch(/\n\s+at /);
  expect((await forager("config show")).stderr).not.toMatch(/\n\s+at /);
});

test("config show names the source of each value and hides secrets", async () => {
  const file = writeSettings('[queue]\nleaseMs = 5000\npassword = { env = "PIN" }\n');
  const { exitCode, stdout, stderr } = await forager("config show --data ./here", {
    FORAGER_QUEUE_KEEP_DONE_DAYS: "3",
    PIN: "hunter2",
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).not.toContain("hunter2");
  const cells = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(cells[0]).toEqual(["key", "value", "source"]);
  expect(cells).toContainEqual(["data", join(sandbox.folder, "here"), "--data"]);
  expect(cells).toContainEqual(["queue.leaseMs", "5000", `${file}:2`]);
  expect(cells).toContainEqual(["queue.password", "***", `${file}:3`]);
  expect(cells).toContainEqual(["queue.keepDoneDays", "3", "FORAGER_QUEUE_KEEP_DONE_DAYS"]);
  expect(cells).toContainEqual(["log.level", "info", "default"]);
});

test("config show hides what URLs hold, as a table and as JSON, and so do errors", async () => {
  writeSettings('[bucket]\nurl = "s3://fleet?region=eu&q=hunter2"\n');
  const env = { FORAGER_ALERT_WEBHOOK: "http://user:hunter2@h.example/x?token=hunter2" };
  for (const form of ["config show", "config show --json"]) {
    const { exitCode, stdout } = await forager(form, env);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("http://h.example/***");
    expect(stdout).toContain("s3://fleet?region=eu&q=***");
    expect(stdout).not.toContain("hunter2");
  }
  for (const form of ["bucket ls", "bucket ls --json --verbose"]) {
    const { exitCode, stderr } = await forager(`${form} ftp://ann:hunter2@h/p?token=hunter2`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("is not the address of a bucket");
    expect(stderr).not.toContain("hunter2");
  }
});

test("a secret in plain text in a settings file stops every command, with the way to do it", async () => {
  const file = writeSettings('[queue]\npassword = "hunter2"\n');
  const { exitCode, stdout, stderr } = await forager("queue stats");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(
    `${file}:2:1: queue.password contains a secret in plain text: write queue.password = { file = "PATH" }`,
  );
  expect(stderr).not.toContain("hunter2");
});

test("config show --json has the same rows, wherever the flag stands", async () => {
  const env = { FORAGER_QUEUE_PASSWORD: "hunter2" };
  const after = await forager("config show --json --quiet", env);
  const before = await forager("--json --quiet config show", env);
  expect(before.stdout).toBe(after.stdout);
  expect(after.stdout).not.toContain("hunter2");
  const rows = JSON.parse(after.stdout) as { key: string }[];
  expect(rows).toContainEqual({ key: "log.level", value: "error", source: "--quiet" });
});

test("--config reads another file, and says so when it is not there", async () => {
  writeFileSync(join(sandbox.folder, "other.toml"), '[log]\nlevel = "warn"\n');
  expect((await forager("config show --config other.toml")).stdout).toContain("other.toml:2");
  const { exitCode, stderr } = await forager("config show --config absent.toml");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("absent.toml");
});

test("doctor finds a fit machine fit", async () => {
  const { exitCode, stdout, stderr } = await forager("doctor --data ./data");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  for (const check of ["node", "sqlite", "data folder", "disk", "temp folder", "clock", "ledger"]) {
    expect(stdout).toMatch(new RegExp(`^${check} +(ok|warn) +\\S`, "m"));
  }
});

test("doctor exits 1 when a check fails, and says what to do", async () => {
  writeFileSync(join(sandbox.folder, "file"), "");
  const { exitCode, stdout } = await forager("doctor --data ./file --json");
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toContainEqual({
    check: "data folder",
    state: "fail",
    detail: `${join(sandbox.folder, "file")} is not a folder`,
    advice: "move it away, or choose another folder with --data",
  });
});

test("doctor warns and exits 0 when the data folder is open to all", async () => {
  mkdirSync(join(sandbox.folder, "open"), { mode: 0o755 });
  const { exitCode, stdout } = await forager("doctor --data ./open");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^data folder +warn .*chmod -R o-rwx/m);
});

/** In this process: to start a hundred would take a minute. */
async function helpOf(name: string) {
  const [stdout, stderr] = [createTestStream(), createTestStream()];
  const exitCode = await runCli({
    argv: [...name.split(" "), "--help"],
    registry,
    version: "0.0.0",
    stdin: new PassThrough(),
    stdout,
    stderr,
    env: {},
    cwd: "/",
    home: "/",
    clock: systemClock,
    signal: new AbortController().signal,
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

test("help lists every command, and each command's help has examples", async () => {
  const top = await forager("--help");
  expect(top).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await forager("queue add --help")).toEqual(
    expect.objectContaining(await helpOf("queue add")),
  );
  for (const { name, summary } of registry.commands) {
    const [noun] = name.split(" ");
    expect(top.stdout).toMatch(new RegExp(`^  ${noun} `, "m"));
    const own = await helpOf(name);
    expect(own).toMatchObject({ exitCode: 0, stderr: "" });
    expect(own.stdout).toContain(summary);
    expect(own.stdout).toMatch(/^Examples:\n {2}# .+\n {2}.*forager /m);
  }
  for (const [noun, summary] of Object.entries(registry.nouns)) {
    expect(top.stdout).toContain(summary);
    const verbs = registry.commands.filter(({ name }) => name.startsWith(`${noun} `));
    const { stdout } = await helpOf(noun);
    for (const verb of verbs) expect(stdout).toContain(verb.summary);
  }
});
