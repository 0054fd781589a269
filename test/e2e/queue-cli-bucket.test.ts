// needs: s3
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { needs } from "../support/services.ts";

interface Place {
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
}

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.remove());

function queueCommands(name: string, prepare: () => Promise<Place>): void {
  describe(`forager queue, on ${name}`, () => {
    test("every command works as on SQLite", async () => {
      const { address, env } = await prepare();
      const queue = (words: string) =>
        sandbox.forager(["queue", ...words.split(" "), "--queue", address], { env });
      const json = async (words: string) => {
        const { exitCode, stdout, stderr } = await queue(`${words} --json`);
        expect({ words, exitCode, stderr }).toEqual({
          words,
          exitCode: 0,
          stderr: expect.any(String),
        });
        return JSON.parse(stdout) as never;
      };

      expect(await queue("stats")).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining("there is no queue") as string,
      });
      await json("add visit --key a --job j --gate example.org");
      await json("add visit --key b --job j --gate example.org");
      const lines = Array.from({ length: 30 }, (_, index) => `{"kind":"visit","key":"i${index}"}`);
      writeFileSync(join(sandbox.folder, "tasks.jsonl"), lines.join("\n"));
      await json("import tasks.jsonl");
      expect(await json("stats")).toMatchObject({ states: { pending: 32 } });
      expect(await json("list --job j")).toMatchObject({ tasks: [{ key: "a" }, { key: "b" }] });
      expect(await json("show 1")).toMatchObject({ id: 1, key: "a" });
      expect(await json("jobs")).toHaveLength(2);
      expect(await json("gates")).toMatchObject([{ name: "example.org" }]);
      await json("gate example.org --delay 2s");
      await json("pause j");
      await json("resume j");
      await json("cancel j --yes");
      expect(await json("log")).toMatchObject([{ state: "skipped" }, { state: "skipped" }]);
      await json("retry --job j --state skipped --yes");
      await json("seal j");
      await json("cancel j --yes");
      await json("purge --state skipped --yes");
      expect(await json("log")).toMatchObject([{ state: "skipped" }, { state: "skipped" }]);
      expect(await json("log prune --before now --yes")).toEqual({ changed: 2 });
      expect(await json("log")).toEqual([]);
      expect(await json("reconcile")).toMatchObject({ drift: [] });
      expect(await json("stats")).toMatchObject({ states: { pending: 30 } });
    });
  });
}

queueCommands("a directory", async () => ({ address: "dir:shared queue", env: {} }));

test("several shards are asked for in the address, and kept", async () => {
  const queue = (words: readonly string[], address: string) =>
    sandbox.forager(["queue", ...words, "--queue", address]);
  expect(await queue(["add", "a"], "dir:q?shards=4")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await queue(["stats"], "dir:q")).toMatchObject({ exitCode: 0 });
  const other = await queue(["stats"], "dir:q?shards=2");
  expect(other).toMatchObject({ exitCode: 1 });
  expect(other.stderr).toContain("has 4 shard(s), not 2");
  expect(await queue(["stats"], "dir:q?shards=no")).toMatchObject({ exitCode: 2 });
});

needs(["s3"], ({ s3 }) => {
  queueCommands("Ceph RGW", async () => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    const { bucket, endpoint, region, credentials } = place;
    const settings = new URLSearchParams({ endpoint: endpoint!, region: region! });
    return {
      address: `s3://${bucket}/fleet?${settings.toString()}`,
      env: {
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      },
    };
  });
});
