import { PassThrough } from "node:stream";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openQueue } from "../../../app/index.ts";
import { systemClock } from "../../../base/clock.ts";
import { createTempFolder } from "../../../config/testing/temp-folder.ts";
import { registry } from "../../registry.ts";
import { runCli } from "../../frame/run-cli.ts";
import { createTestStream } from "../../testing/test-stream.ts";

/** Tests what is shown on a terminal only; the built program in a pipe cannot show it. */
async function createFixture() {
  const folder = createTempFolder();
  const address = `sqlite:${join(folder, "q.db")}`;
  async function forager(
    line: string,
    { answer = "", signal = new AbortController().signal } = {},
  ) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(answer);
    const stdout = createTestStream({ isTTY: true, columns: 100, rows: 50 });
    const stderr = createTestStream({ isTTY: true, columns: 100 });
    const exitCode = await runCli({
      argv: [...line.split(" "), "--queue", address],
      registry,
      version: "1.2.3",
      stdin,
      stdout,
      stderr,
      env: {},
      cwd: folder,
      home: folder,
      clock: systemClock,
      signal,
    });
    return { exitCode, stdout, stderr: stderr.text() };
  }
  const states = async () => {
    await using queue = await openQueue(address);
    return (await queue.stats()).states;
  };
  {
    await using queue = await openQueue(address);
    await queue.add([{ kind: "a" }, { kind: "a" }]);
    const { leases } = await queue.claim({ worker: "w", kinds: ["a"], limit: 2 });
    const outcome = { kind: "fail", reason: "x" } as const;
    await queue.finish(leases.map((lease) => ({ ...lease, outcome })));
    await queue.add([{ kind: "a", job: "nightly" }]);
  }
  return { forager, states };
}

const answers: readonly (readonly [string, string, Record<string, number>])[] = [
  ["queue retry", "make 2 tasks (failed) pending again? [y/N]", { pending: 3, failed: 0 }],
  [
    "queue purge --state failed",
    "purge 2 tasks and free their keys and those of such tasks in the log? [y/N]",
    { failed: 0, pending: 1 },
  ],
  ["queue cancel nightly", "cancel job 'nightly': 1 task", { pending: 0, skipped: 1, failed: 2 }],
];

test.each(answers)(
  "%s does nothing after a no, and all after a yes",
  async (line, question, after) => {
    const { forager, states } = await createFixture();
    const before = await states();
    for (const answer of ["n\n", "", "perhaps\n"]) {
      const { exitCode, stdout, stderr } = await forager(line, { answer });
      expect(stderr).toContain(question);
      expect(stderr).toContain("nothing was");
      expect({ exitCode, stdout: stdout.text() }).toEqual({ exitCode: 1, stdout: "" });
      expect(await states()).toEqual(before);
    }
    expect(await forager(line, { answer: "y\n" })).toMatchObject({ exitCode: 0 });
    expect(await states()).toMatchObject(after);
  },
);

test("stats --watch redraws the terminal", async () => {
  const { forager } = await createFixture();
  const { stdout } = await forager("queue stats --watch --every 100ms", {
    signal: AbortSignal.timeout(1_500),
  });
  expect(stdout.writes.length).toBeGreaterThanOrEqual(2);
  expect(stdout.writes[0]?.startsWith("\u001b[2J\u001b[H")).toBe(true);
  for (const write of stdout.writes.slice(1)) {
    expect(write.startsWith("\u001b[H")).toBe(true);
    expect(write).toContain("nightly");
  }
});
