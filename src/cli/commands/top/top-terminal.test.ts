import { PassThrough } from "node:stream";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openQueue } from "../../../app/index.ts";
import { systemClock } from "../../../base/clock.ts";
import { createTempFolder } from "../../../config/testing/temp-folder.ts";
import { registry } from "../../registry.ts";
import { runCli } from "../../frame/run-cli.ts";
import { createTestStream } from "../../testing/test-stream.ts";

interface RunOptions {
  readonly isTTY: boolean;
  /** Stop after this many frames. */
  readonly framesMax?: number;
}

async function runTop(keys: string, { isTTY, framesMax = Infinity }: RunOptions) {
  const folder = createTempFolder();
  const address = `sqlite:${join(folder, "q.db")}`;
  {
    await using queue = await openQueue(address);
    await queue.add([{ kind: "page" }]);
    for (const name of ["a.example", "b.example", "c.example"]) {
      await queue.add([{ kind: "page", gate: name }]);
      await queue.block(name, 600_000);
    }
  }
  const rawModes: boolean[] = [];
  const setRawMode = (isRaw: boolean) => rawModes.push(isRaw);
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode });
  stdin.write(keys);
  const stopping = new AbortController();
  const stdout = createTestStream({ isTTY, columns: 100, rows: 12 });
  const counted = {
    ...stdout,
    write(text: string) {
      stdout.write(text);
      if (stdout.writes.length >= framesMax) stopping.abort();
      return true;
    },
  };
  const exitCode = await runCli({
    argv: ["top", "--every", "100ms", "--queue", address],
    registry,
    version: "1.2.3",
    stdin,
    stdout: counted,
    stderr: createTestStream({ isTTY }),
    env: {},
    cwd: folder,
    home: folder,
    clock: systemClock,
    signal: stopping.signal,
  });
  return { exitCode, rawModes, writes: stdout.writes, text: stdout.text() };
}

test("keys choose views, filter, open a row and end; the terminal is left as it was", async () => {
  const { exitCode, rawModes, writes, text } = await runTop("4/b.ex\r\r\u001b?x q", {
    isTTY: true,
  });
  expect(exitCode).toBe(0);
  expect(rawModes).toEqual([true, false]);
  const shown = (part: string) => writes.find((write) => write.includes(part));
  expect(shown("[4 gates]")).toContain("c.example");
  expect(shown("/b.ex_")).not.toContain("c.example");
  expect(shown("a visit every")).toMatch(/same: forager --queue \S+ queue gate b\.example/);
  expect(shown("q, ctrl-c")).toContain("quit");
  expect(writes.at(-1)).toContain("paused");
  // Mouse reporting stays off, otherwise the user cannot select text.
  for (const mode of [9, 1000, 1002, 1003, 1006, 1015]) {
    expect(text).not.toContain(`\u001b[?${mode}h`);
  }
});

test("without a terminal nothing changes: a line each time, and no key is read", async () => {
  const { rawModes, writes } = await runTop("q", { isTTY: false, framesMax: 3 });
  expect(rawModes).toEqual([]);
  expect(writes).toHaveLength(3);
  for (const write of writes) expect(write).toMatch(/^\S+Z \d+\.\d tasks\/s, pending 4/);
});
