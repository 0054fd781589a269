import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import type { BareCommand, BareContext, CommandOutcome, Registry } from "./command.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";
import { listFlag, parseCount } from "../options/flags.ts";
import { runCli } from "./run-cli.ts";
import { createTestStream } from "../testing/test-stream.ts";

type Run = (context: BareContext) => Promise<CommandOutcome> | CommandOutcome;

async function run(
  argv: string,
  body: Run = () => {},
  signal = new AbortController().signal,
  stoppedBy?: ExitCode,
) {
  const loaded: string[] = [];
  const entry = (name: string, command: BareCommand) => ({
    name,
    summary: `summary of ${name}`,
    load: async () => (loaded.push(name), command),
  });
  const examples = [{ line: "forager queue add a", summary: "an example" }];
  const registry: Registry = {
    nouns: { queue: "tasks that wait" },
    commands: [
      entry("queue add", {
        needs: "nothing",
        arguments: [
          { name: "queue", summary: "which queue" },
          { name: "key", summary: "keys", isOptional: true, isRepeated: true },
        ],
        options: [
          { flag: "--limit", value: "count", summary: "how many", default: "100" },
          { flag: "--order", value: "order", summary: "order", choices: ["old", "new"] },
          { flag: "--dry-run", summary: "only show what would be done" },
          { flag: "--id", value: "id", summary: "which", isRepeated: true },
        ],
        examples,
        details: ["What the flags do not say."],
        run: async (context) => body(context),
      }),
      entry("queue list", { needs: "nothing", examples, run: async () => {} }),
    ],
  };
  const stdout = createTestStream();
  const stderr = createTestStream();
  const exitCode = await runCli({
    argv: argv.split(" ").filter(Boolean),
    registry,
    version: "1.2.3",
    stdin: new PassThrough(),
    stdout,
    stderr,
    env: {},
    cwd: "/",
    home: "/",
    clock: createTestClock(),
    signal,
    stoppedBy: () => stoppedBy,
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text(), loaded };
}

test("arguments and flags reach the command", async () => {
  let seen: Pick<BareContext, "args" | "flags"> | undefined;
  await run("queue add news a b --dry-run --order new", (context) => void (seen = context));
  expect(seen?.args).toEqual(["news", "a", "b"]);
  expect(seen?.flags).toEqual({ limit: "100", order: "new", dryRun: true });
});

test.each(["--json queue add q", "queue --json add q", "queue add --json q", "queue add q --json"])(
  "a global flag counts wherever it stands: %s",
  async (argv) => {
    const { stdout } = await run(argv, ({ out }) => out.result({ a: 1 }, "text"));
    expect(JSON.parse(stdout)).toEqual({ a: 1 });
  },
);

test("a flag that may be repeated is a list", async () => {
  const seen: unknown[] = [];
  for (const flags of ["", "--id 1", "--id 1 --id 2,3"]) {
    await run(`queue add q ${flags}`, (context) => void seen.push(listFlag(context.flags, "id")));
  }
  expect(seen).toEqual([undefined, ["1"], ["1", "2", "3"]]);
});

test("help ends with what the flags do not say", async () => {
  const { stdout } = await run("queue add --help");
  expect(stdout).toMatch(/\nExamples:\n[^]+\n\nWhat the flags do not say\.\n/);
});

test("only the command that runs is loaded, and none for the list of all", async () => {
  expect((await run("--data /x queue --quiet add q")).loaded).toEqual(["queue add"]);
  expect((await run("--help")).loaded).toEqual([]);
  expect((await run("queue --help")).loaded).toEqual([]);
});

test("help lists the nouns, a noun's help its verbs, a command's help its examples", async () => {
  expect((await run("--help")).stdout).toContain("tasks that wait");
  const noun = await run("queue --help");
  expect(noun.stdout).toContain("summary of queue add");
  expect(noun.stdout).toContain("summary of queue list");
  for (const argv of ["queue add --help", "help queue add", "queue add -h"]) {
    const { exitCode, stdout } = await run(argv);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("# an example\n  forager queue add a");
  }
});

test("a noun without a verb shows its help on stderr and is a usage error", async () => {
  const { exitCode, stdout, stderr } = await run("queue");
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain("summary of queue list");
  const json = await run("queue --json");
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { kind: "invalid", code: "usage" } });
});

test.each([
  [
    "queu add q",
    "there is no command 'queu' (did you mean `forager queue`?) - see `forager --help`",
  ],
  ["queue lst", "there is no command 'queue lst' (did you mean `forager queue list`?)"],
  ["queue add q --dryrun", "unknown option '--dryrun' (did you mean --dry-run?)"],
  ["queue add q --jsno", "(did you mean --json?) - see `forager queue add --help`"],
  ["queue add q --bucket x", "unknown option '--bucket' - see `forager queue add --help`"],
  ["queue add", "missing required argument 'queue'"],
  ["queue list surplus", "too many arguments"],
  ["queue add q --order odd", "Allowed choices are old, new"],
  ["queue add q --limit", "option '--limit <count>' argument missing"],
])("%s is a usage error", async (argv, message) => {
  const { exitCode, stdout, stderr } = await run(argv);
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^forager: [^\n]*\n$/);
  expect(stderr).toContain(message);
});

test.each<[string, Run, number]>([
  ["nothing", () => {}, 0],
  ["partial", () => "partial", 3],
  ["failed", () => "failed", 1],
])("a command that returns %s", async (_, body, exitCode) => {
  expect(await run("queue add q", body)).toMatchObject({ exitCode, stderr: "" });
});

const failWith = (error: Error) => () => {
  throw error;
};
const cause = new Error("connection refused", { cause: new Error("port 5432 is closed") });
const failure = new AppError("unavailable", "queue_down", "the queue\nis down", { cause });

test("an error is one line for people, without stack", async () => {
  const { exitCode, stdout, stderr } = await run("queue add q", failWith(failure));
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "forager: the queue is down\n",
  });
});

test("what also failed while things were closed does not hide the error", async () => {
  const closing = new AppError("unavailable", "disk_full", "the index cannot be closed");
  const name = "SuppressedError"; // as Node 24 and, on Node 22, the compiler's helper make it
  const suppress = (suppressed: unknown) =>
    Object.assign(new Error("was suppressed"), { name, error: closing, suppressed });
  expect(await run("queue add q", failWith(suppress(suppress(failure))))).toMatchObject({
    exitCode: 1,
    stderr: "forager: the queue is down\n",
  });
});

test("a data folder that another process owns, which does not answer, exits 3", async () => {
  const inUse = new AppError("unavailable", "node_in_use", "another process owns it");
  expect(await run("queue add q", failWith(inUse))).toMatchObject({ exitCode: 3, stdout: "" });
});

test("a list inside an error keeps its lines", async () => {
  const error = new AppError("invalid", "x", "2 problems:\n  a: wrong\n  b: wrong");
  const { stderr } = await run("queue add q", failWith(error));
  expect(stderr).toBe("forager: 2 problems:\n  a: wrong\n  b: wrong\n");
});

test("--verbose adds the chain of causes", async () => {
  const { stderr } = await run("queue add q --verbose", failWith(failure));
  expect(stderr).toContain("caused by Error: connection refused");
  expect(stderr).toContain("caused by Error: port 5432 is closed");
  expect(stderr).toContain("run-cli.test.ts");
});

test("with --json an error is a JSON object on stderr", async () => {
  const { stdout, stderr } = await run("queue add q --json", failWith(failure));
  expect(stdout).toBe("");
  expect(JSON.parse(stderr)).toEqual({
    error: { kind: "unavailable", code: "queue_down", message: "the queue\nis down" },
  });
});

test("an error that is not ours is called a bug", async () => {
  const { exitCode, stderr } = await run("queue add q", failWith(new TypeError("x is undefined")));
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^forager: unexpected TypeError: x is undefined - this is a bug.*\n$/);
});

test("a bad value is a usage error, invalid input met later is a failure", async () => {
  const count = await run("queue add q --limit 0", ({ flags }) => {
    parseCount("limit", String(flags["limit"]));
  });
  expect(count).toMatchObject({
    exitCode: 2,
    stderr: "forager: --limit takes a whole number from 1, not '0'\n",
  });
  const input = failWith(new AppError("invalid", "bad_file", "line 3 is not a record"));
  expect(await run("queue add q", input)).toMatchObject({ exitCode: 1 });
});

test("a command that stops when asked prints nothing; any other error is still reported", async () => {
  const stopped = AbortSignal.abort();
  const aborted = failWith(new AppError("aborted", "stopped", "stopped"));
  expect(await run("queue add q", aborted, stopped)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await run("queue add q", aborted)).toMatchObject({ exitCode: 1 });
  expect(await run("queue add q", failWith(failure), stopped)).toMatchObject({ exitCode: 1 });
});

test("SIGTERM is a success only for a command that says it stopped in good order", async () => {
  const { interrupted, terminated } = exitCodes;
  const end = async (by: ExitCode, outcome: CommandOutcome) =>
    (await run("queue add q", () => outcome, AbortSignal.abort(), by)).exitCode;
  expect(await end(terminated, "stopped")).toBe(0);
  expect(await end(interrupted, "stopped")).toBe(130);
  expect(await end(terminated, undefined)).toBe(143);
  expect(await end(terminated, "failed")).toBe(143);
  expect(await run("queue add q", () => "stopped")).toMatchObject({ exitCode: 0 });
});

test("the version is printed", async () => {
  expect(await run("--version")).toMatchObject({ exitCode: 0, stdout: "1.2.3\n", stderr: "" });
});
