// inputs: src/base/**
import { spawnSync, type StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AppError } from "../app-error.ts";
import { createPinoLogger, type PinoLoggerOptions } from "./pino-logger.ts";
import { createTestClock } from "../testing/test-clock.ts";

function createFixture(changes: Partial<PinoLoggerOptions> & { readonly isTTY?: boolean } = {}) {
  const written: string[] = [];
  const { isTTY = false, ...options } = changes;
  const log = createPinoLogger({
    level: "debug",
    clock: createTestClock(),
    destination: { write: (text) => written.push(text), isTTY },
    ...options,
  });
  const fields = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, written, fields };
}

describe("a pino logger", () => {
  test("writes a line of JSON with level, time, fields and message", () => {
    const { log, written } = createFixture();
    log.warn("lease lost", { taskId: 42, worker: 'the "first"' });
    expect(written).toEqual([
      '{"level":"warn","time":"2026-01-01T00:00:00.000Z",' +
        '"taskId":42,"worker":"the \\"first\\"","msg":"lease lost"}\n',
    ]);
  });

  test("no text from outside controls a terminal or begins another line", () => {
    const hostile = "anna\u009b2J\u202egpj\u2028\u001b[1m\r\n";
    for (const pretty of [false, true]) {
      const { log, written } = createFixture({ pretty });
      log.warn("a sign-in failed", { user: hostile });
      expect(written.join("")).toMatch(/^[\x20-\x7e]+\n$/);
    }
    const { log, fields } = createFixture();
    log.warn("a sign-in failed", { user: hostile });
    expect(fields()[0]!["user"]).toBe(hostile);
  });

  test.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
  ] as const)("at level %s it writes %j", (level, expected) => {
    const { log, fields } = createFixture({ level });
    for (const verb of ["debug", "info", "warn", "error"] as const) log[verb]("line");
    expect(fields().map((line) => line["level"])).toEqual(expected);
  });

  test("a child adds its fields to every line, and the nearest wins without a second key", () => {
    const { log, written, fields } = createFixture();
    const child = log.child({ node: "pi", job: 1 }).child({ job: 2 });
    child.info("line", { job: 3 });
    child.info("line");
    log.info("line");
    expect(fields().map(({ node, job }) => [node, job])).toEqual([
      ["pi", 3],
      ["pi", 2],
      [undefined, undefined],
    ]);
    expect(written[0]!.match(/"job"/g)).toHaveLength(1);
  });

  test("fields named like a line's own keys do not change these", () => {
    const { log, written, fields } = createFixture();
    log.child({ time: "late" }).info("line", { level: 5, msg: "other" });
    expect(fields()[0]).toMatchObject({ level: "info", msg: "line", level_: 5, msg_: "other" });
    expect(fields()[0]).toMatchObject({ time: "2026-01-01T00:00:00.000Z", time_: "late" });
    expect(written[0]!.match(/"(level|time|msg)"/g)).toHaveLength(3);
  });

  test("messages and fields are taken as they are, whatever pino makes of them elsewhere", () => {
    const { log, fields } = createFixture();
    const request = { method: "GET", headers: { accept: "*" }, socket: 3, url: "/" };
    log.info("100%% of %s done", request);
    log.info("failed", { err: new AppError("invalid", "bad_key", "unknown key") });
    expect(fields()[0]).toMatchObject({ msg: "100%% of %s done", ...request });
    expect(fields()[1]!["err"]).toEqual({
      name: "AppError",
      kind: "invalid",
      code: "bad_key",
      message: "unknown key",
    });
  });

  test("never writes a secret, be it in the fields of a child or deep in those of a line", () => {
    const { log, written, fields } = createFixture();
    log.child({ token: "hush" }).info("line", { bucket: { keys: [{ clientSecret: "hush" }] } });
    expect(fields()[0]).toMatchObject({
      token: "***",
      bucket: { keys: [{ clientSecret: "***" }] },
    });
    expect(written.join("")).not.toContain("hush");
  });

  test("on a terminal it writes for people, unless configured otherwise", () => {
    const terminal = createFixture({ isTTY: true });
    terminal.log.info("lease lost", { taskId: 42 });
    expect(terminal.written[0]).toMatch(/^\d\d:\d\d:\d\d info {2}lease lost taskId=42\n$/);
    const json = createFixture({ isTTY: true, pretty: false });
    json.log.info("lease lost");
    expect(json.fields()[0]).toMatchObject({ msg: "lease lost" });
    const pretty = createFixture({ pretty: true });
    pretty.log.info("lease lost");
    expect(pretty.written[0]).toMatch(/info {2}lease lost\n$/);
  });
});

/** Runs a program of ./testing as users run ours: in a process of its own. */
function runProgram(name: string, args: readonly string[], stdio: StdioOptions = "pipe") {
  const program = fileURLToPath(new URL(`../testing/${name}.ts`, import.meta.url));
  const options = { stdio, encoding: "utf8", timeout: 15_000, killSignal: "SIGKILL" } as const;
  return spawnSync(process.execPath, ["--import", "tsx", program, ...args], options);
}

describe("in a process of its own", () => {
  test("lines go to stderr as JSON, whole even if the process exits at once", () => {
    const { status, stdout, stderr } = runProgram("pino-logger-program", []);
    expect([status, stdout]).toEqual([7, ""]);
    const lines = stderr.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: "info", msg: "first line", bytes: "x".repeat(20_000) },
      { level: "error", msg: "last words", node: "pi" },
    ]);
  });

  test("a full disk under stderr does not end the work", () => {
    const full = openSync("/dev/full", "w");
    const { status, signal } = runProgram("pino-logger-program", [], ["ignore", "pipe", full]);
    closeSync(full);
    expect([status, signal]).toEqual([7, null]);
  });

  test("the Logger port alone does not load pino", () => {
    const loadsPino = (file: string) =>
      runProgram("pino-load-program", [new URL(file, import.meta.url).href]).stdout;
    expect(loadsPino("./logger.ts")).toBe("no");
    expect(loadsPino("./pino-logger.ts")).toBe("yes"); // so that the question has two answers
  });
});
