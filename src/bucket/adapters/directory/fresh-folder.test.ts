// inputs: src/bucket/** src/base/**
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { FreshFolderRound } from "./testing/fresh-folder-program.ts";

const program = fileURLToPath(new URL("./testing/fresh-folder-program.ts", import.meta.url));
const nodes = 12;
const folders = 6;

test("any number of processes may open a bucket in a new folder at once, and write to it", async () => {
  const top = mkdtempSync(join(tmpdir(), "forager-fresh-bucket-"));
  const children = Array.from({ length: nodes }, () =>
    fork(program, { execArgv: ["--import", "tsx"] }),
  );
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(top, { recursive: true, force: true });
  });
  await Promise.all(children.map((child) => once(child, "message")));
  for (let at = 0; at < folders; at++) {
    const round: FreshFolderRound = { root: join(top, `bucket-${at}`), writes: 40 };
    const answers = children.map((child) => once(child, "message"));
    for (const child of children) child.send(round);
    const failed = (await Promise.all(answers)).map(([answer]) => String(answer));
    expect(failed.filter((answer) => answer !== "done")).toEqual([]);
    expect(readdirSync(join(round.root, "nodes"))).toHaveLength(nodes);
  }
});
