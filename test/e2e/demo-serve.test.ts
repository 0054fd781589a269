// inputs: src/** scripts/dashboard/**
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serveDemo } from "../../src/cli/serve-demo.ts";
import { builtCli } from "../support/built-cli.ts";

test("what a demo has found is served until the demo is asked to stop", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-demo-serve-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stop = new AbortController();
  const bucket = `dir:${join(folder, "bucket")}`;
  const where = { data: join(folder, "node-1"), bucket, queue: `${bucket}?shards=1` };
  const served = serveDemo(await builtCli(), where, stop.signal);
  await expect.poll(() => existsSync(join(where.data, "node", "api.token"))).toBe(true);
  stop.abort();
  await served;
});
