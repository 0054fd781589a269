// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Heartbeat } from "../../src/observe/index.ts";
import { createQueueSandbox } from "../support/queue-sandbox.ts";

test("forager top: plain lines in a pipe, a document per line with --json, until Ctrl-C", async () => {
  const sandbox = await createQueueSandbox();
  await sandbox.use((queue) => queue.add([{ kind: "a" }, { kind: "a" }]));
  const words = ["top", "--every", "100ms", "--queue", "sqlite:q.db", "--data", "data"];
  const twoLines = {
    onStdout: (text: string, kill: (signal: NodeJS.Signals) => void) => {
      if (text.split("\n").length > 2) kill("SIGINT");
    },
  };
  const plain = await sandbox.forager(words, twoLines);
  expect(plain.exitCode, plain.stderr).toBe(130);
  for (const line of plain.stdout.trim().split("\n")) {
    expect(line).toMatch(/tasks\/s, pending 2 \(worker_capacity 2\), running 0/);
  }

  mkdirSync(join(sandbox.folder, "data/nodes"), { recursive: true });
  const beat = (node: string, atMs: number) =>
    writeFileSync(
      join(sandbox.folder, "data/nodes", `${node}.json`),
      JSON.stringify({
        format: 1,
        node,
        atMs,
        workers: [],
        alerts: [],
      } satisfies Partial<Heartbeat>),
    );
  beat("here", Date.now());
  beat("gone", Date.now() - 120_000);
  writeFileSync(join(sandbox.folder, "data/nodes/torn.json"), '{"format":1,');
  const json = await sandbox.forager([...words, "--json"], twoLines);
  const first = JSON.parse(json.stdout.split("\n")[0]!) as { heartbeats: Heartbeat[] };
  expect(first.heartbeats.map(({ node }) => node)).toEqual(["here"]);
});
