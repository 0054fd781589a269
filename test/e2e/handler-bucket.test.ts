// needs: s3
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openBucket } from "../../src/app/index.ts";
import { createTestLink, createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import type { TaskInput } from "../../src/queue/index.ts";
import { createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";
import { needs } from "../support/services.ts";

const handlers = `
import { setTimeout as wait } from "node:timers/promises";
export const handlers = [
  {
    kind: "copy",
    retry: { delayMs: 200, delayMsMax: 400 },
    async run({ task, services: { bucket } }) {
      const got = await bucket.get(\`in/\${task.key}\`);
      if (got.status !== "found") return { kind: "skip", reason: "no such object" };
      await bucket.put(\`out/\${task.key}\`, Buffer.concat([got.body, Buffer.from(" copied")]));
      return { kind: "done", result: { pid: process.pid } };
    },
  },
  // Ends when two processes have each put an object that the other one lists.
  {
    kind: "meet",
    async run({ services: { bucket } }) {
      await bucket.putIfAbsent(\`pids/\${process.pid}\`, Buffer.from("here"));
      for (let tries = 0; tries < 3_000; tries++) {
        if ((await bucket.list("pids/")).length === 2) return { kind: "done" };
        await wait(20);
      }
      return { kind: "fail", reason: "there was no second process" };
    },
  },
  {
    kind: "write",
    async run({ task, services: { bucket } }) {
      const { key, body } = task.payload;
      await bucket.put(key, body === undefined ? Buffer.from("x") : body);
    },
  },
];
`;

async function setUp(tasks: readonly TaskInput[]): Promise<QueueSandbox> {
  const sandbox = await createQueueSandbox();
  sandbox.write("handlers.mjs", handlers);
  await sandbox.use((queue) => queue.add(tasks));
  return sandbox;
}

const copies = (count: number): TaskInput[] =>
  Array.from({ length: count }, (_, at) => ({ kind: "copy", key: `${at}.txt` }));

const work = (sandbox: QueueSandbox, args: readonly string[], env: Record<string, string>) =>
  sandbox.forager(
    ["work", "--handlers", "handlers.mjs", "--queue", "sqlite:q.db", "--drain", "--json", ...args],
    { env: { FORAGER_GOSSIP_ON: "no", ...env } },
  );

describe("services.bucket of forager work", () => {
  test("A3: in two processes, each task fetches one object and pushes one, at once", async () => {
    const sandbox = await setUp([...copies(20), ...Array(2).fill({ kind: "meet" })]);
    const data = join(sandbox.folder, "data");
    await using bucket = await openBucket(`dir:${join(data, "bucket")}`);
    for (let at = 0; at < 20; at++) {
      await bucket.put(`handlers/in/${at}.txt`, Buffer.from(`text ${at}`));
    }
    const { exitCode, stdout, stderr } = await work(
      sandbox,
      ["--processes", "2", "--concurrency", "1"],
      { FORAGER_DATA: data },
    );
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ done: 22, skipped: 0, retried: 0, failed: 0 });
    for (let at = 0; at < 20; at++) {
      const file = join(data, `bucket/handlers/out/${at}.txt`);
      expect(readFileSync(file, "utf8")).toBe(`text ${at} copied`);
    }
    expect(await bucket.list("handlers/pids/")).toHaveLength(2);
    const outside = (await bucket.list("")).filter(({ key }) => !key.startsWith("handlers/"));
    expect(outside).toEqual([]);
  });

  test("a key that leads out, or a body that is not bytes, fails its task and says so", async () => {
    const sandbox = await setUp([
      { kind: "write", payload: { key: "../queue.json" } },
      { kind: "write", payload: { key: "/etc/passwd" } },
      { kind: "write", payload: { key: "a", body: "text" } },
    ]);
    const data = join(sandbox.folder, "data");
    const { exitCode, stdout, stderr } = await work(sandbox, [], { FORAGER_DATA: data });
    expect(exitCode, stderr).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ done: 0, retried: 0, failed: 3 });
    const reasons = [
      'key "../queue.json" is refused: a part of it is . or ..',
      'key "/etc/passwd" is refused: it begins or ends with /, or contains //',
      "the body of a must be a Uint8Array, such as Buffer.from(text), and is a string",
    ];
    for (const [at, reason] of reasons.entries()) {
      const shown = await sandbox.queue(`show ${at + 1}`);
      expect(shown.stdout).toMatch(/^state +failed/m);
      expect(shown.stdout).toContain(reason);
      expect(shown.stdout).toContain("handlers.mjs"); // where the handler asked for it
    }
    expect(existsSync(join(data, "bucket"))).toBe(false);
  });
});

needs(["s3"], ({ s3 }) => {
  async function setUpPlace() {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    const address = (endpoint: string) =>
      `s3://${place.bucket}/fleet?endpoint=${endpoint}&region=${s3.region}`;
    const env = { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey };
    return { address, env };
  }

  test("a bucket that is away: the task is tried again, and done when it is back", async () => {
    const { env, address } = await setUpPlace();
    await using link = await createTestLink(s3.endpoint);
    const sandbox = await setUp([{ kind: "copy", key: "0.txt", attemptsMax: 20 }]);
    const put = ["bucket", "put", address(s3.endpoint), "handlers/in/0.txt"];
    expect((await sandbox.forager(put, { env, input: "text 0" })).exitCode).toBe(0);

    link.cut();
    const working = work(sandbox, ["--processes", "2"], {
      ...env,
      FORAGER_DATA: join(sandbox.folder, "data"),
      FORAGER_BUCKET_URL: address(link.endpoint),
    });
    const task = async () => (await sandbox.use((queue) => queue.show(1)))!.task;
    await expect.poll(async () => (await task()).attempts.length).toBe(1);
    link.mend();
    const { exitCode, stdout, stderr } = await working;
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ done: 1, failed: 0, skipped: 0 });
    const { state, attempts } = await task();
    expect(state).toBe("done");
    expect(attempts[0]?.reason).toContain("the bucket did not answer");
    const cat = ["bucket", "cat", address(s3.endpoint), "handlers/out/0.txt"];
    expect((await sandbox.forager(cat, { env })).stdout).toBe("text 0 copied\n");
  });

  test("without bucket.url, on a queue that machines share, the task says what to set", async () => {
    const { env, address } = await setUpPlace();
    const sandbox = await createQueueSandbox(address(s3.endpoint));
    sandbox.write("handlers.mjs", handlers);
    const own = { ...env, FORAGER_DATA: join(sandbox.folder, "data"), FORAGER_GOSSIP_ON: "no" };
    const queue = ["--queue", address(s3.endpoint)];
    expect((await sandbox.queue("add copy", { env })).exitCode).toBe(0);
    const args = ["work", "--handlers", "handlers.mjs", "--drain", ...queue];
    const ended = await sandbox.forager(args, { env: own });
    expect([ended.exitCode, ended.stdout]).toEqual([3, expect.stringContaining("1 failed")]);
    const shown = await sandbox.queue("show 1", { env });
    expect(shown.stdout).toContain("handlers have no bucket");
    expect(shown.stdout).toContain("bucket.url");
    expect(existsSync(join(sandbox.folder, "data/bucket"))).toBe(false);
  });
});
