// needs: s3 promtool
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { builtCli } from "../support/built-cli.ts";
import { openCountingProxy } from "../support/counting-proxy.ts";
import { createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";
import { needs } from "../support/services.ts";
import { until } from "../support/until.ts";

const handlers = `
export const copy = {
  kind: "copy",
  async run({ task, services: { bucket } }) {
    await bucket.put(\`in/\${task.key}\`, Buffer.from("12345"));
    const got = await bucket.get(\`in/\${task.key}\`);
    await bucket.putIfAbsent(\`out/\${task.key}\`, got.body);
  },
};
`;

interface Row {
  readonly caller: string;
  readonly operation: string;
  readonly requests: number;
  readonly failed: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly dollars: number;
}
interface Shown {
  readonly rows: readonly Row[];
  readonly all: Row;
  readonly today: Row;
}

const copies = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ kind: "copy", key: `${at}`, job: "night" }));

async function usageOf({ forager }: QueueSandbox, args: readonly string[] = []): Promise<Shown> {
  const { exitCode, stdout, stderr } = await forager(
    ["bucket", "usage", "--data", "data", "--json"].concat(args),
  );
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as Shown;
}
const rowOf = ({ rows }: Shown, caller: string, operation: string) =>
  rows.find((row) => row.caller === caller && row.operation === operation);

needs(["promtool"], ({ promtool }) => {
  test("A8: what workers ask of a bucket is in /metrics, in bucket usage and in the job", async () => {
    const sandbox = await createQueueSandbox("dir:q");
    sandbox.write("handlers.mjs", handlers);
    const address = `dir:${join(sandbox.folder, "q")}`;
    const where = ["--queue", address, "--data", "data"];
    const lines = copies(10).map((task) => JSON.stringify(task));
    sandbox.write("tasks.jsonl", `${lines.join("\n")}\n`);
    const added = await sandbox.forager(["queue", "import", "tasks.jsonl", ...where]);
    expect(added.exitCode, added.stderr).toBe(0);

    const args = ["work", "--handlers", "handlers.mjs", "--processes", "2", ...where];
    const child = spawn(process.execPath, [await builtCli(), ...args, "--listen", "127.0.0.1:0"], {
      cwd: sandbox.folder,
      env: { PATH: process.env["PATH"], HOME: sandbox.folder },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
    const at = await until(() => /http:\/\/[\d.]+:\d+/.exec(said)?.[0], "it listens");
    const token = readFileSync(join(sandbox.folder, "data/node/metrics.token"), "utf8").trim();
    const metrics = await until(async () => {
      const headers = { authorization: `Bearer ${token}` };
      const text = await (await fetch(`${at}/metrics`, { headers })).text();
      const isDone = /forager_tasks_ended_total\{kind="copy",result="done"\} 10$/m.test(text);
      return isDone ? text : undefined;
    }, "the metrics tell of ten tasks");
    for (const line of [
      'forager_bucket_requests_total{caller="handlers",operation="put",result="answered"} 10',
      'forager_bucket_requests_total{caller="handlers",operation="get",result="answered"} 10',
      'forager_bucket_bytes_total{caller="handlers",operation="put",direction="sent"} 50',
      'forager_bucket_bytes_total{caller="handlers",operation="get",direction="received"} 50',
    ]) {
      expect(metrics).toContain(line);
    }
    expect(metrics).toMatch(/forager_bucket_requests_total\{caller="queue",operation="putIfMatch"/);
    const checked = spawnSync(promtool.path, ["check", "metrics"], {
      input: metrics,
      encoding: "utf8",
    });
    expect(checked.stdout + checked.stderr).toBe("");
    child.kill("SIGTERM");
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);

    const shown = await usageOf(sandbox);
    expect(rowOf(shown, "handlers", "put")).toMatchObject({ requests: 10, bytesSent: 50 });
    expect(rowOf(shown, "handlers", "get")).toMatchObject({ requests: 10, bytesReceived: 50 });
    expect(rowOf(shown, "handlers", "putIfAbsent")).toMatchObject({ requests: 10, failed: 0 });
    expect(rowOf(shown, "queue", "putIfMatch")!.requests).toBeGreaterThan(2);
    expect(shown.all).toEqual(shown.today);
    expect(shown.all.requests).toBe(shown.rows.reduce((sum, { requests }) => sum + requests, 0));
    expect(shown.all.dollars).toBe(0); // a folder

    const job = await sandbox.forager(["queue", "job", "night", "--json", ...where]);
    const { requests, commitRequests } = JSON.parse(job.stdout) as Record<string, number>;
    expect(requests).toBe(30);
    expect(commitRequests).toBeGreaterThan(1); // adding, at least one claim and one finish
    expect(commitRequests).toBeLessThanOrEqual(
      shown.rows.reduce((sum, row) => sum + (row.caller === "queue" ? row.requests : 0), 0),
    );
    const table = (await sandbox.forager(["queue", "jobs", ...where])).stdout;
    const commits = Math.round(commitRequests! * 1_000) / 1_000;
    expect(table).toMatch(new RegExp(` ${requests} +${String(commits).replace(".", "\\.")} `));
  });
});

needs(["s3"], ({ s3 }) => {
  test("A8: bucket usage says what an S3 server has counted, request by request", async () => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    // Now and then; and once while a connection finds out how this store writes ETags.
    let isLearning = true;
    await using proxy = await openCountingProxy(s3.endpoint, (count, path) => {
      const isFirstLearning = isLearning && path.includes("probe/etag-");
      if (isFirstLearning) isLearning = false;
      return isFirstLearning || count % 17 === 0;
    });
    const query = `?endpoint=${proxy.endpoint}&region=${s3.region}`;
    const sandbox = await createQueueSandbox();
    sandbox.write("handlers.mjs", handlers);
    sandbox.write(
      "forager.toml",
      `[bucket]\nurl = "s3://${place.bucket}/fleet${query}"\n[gossip]\non = "no"\n`,
    );
    const env = { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey };
    const where = ["--queue", `s3://${place.bucket}/queue${query}`, "--data", "data"];
    const run = async (words: readonly string[]) => {
      const { exitCode, stderr } = await sandbox.forager([...words, ...where], { env });
      expect(exitCode, stderr).toBe(0);
    };
    const lines = copies(30).map((task) => JSON.stringify(task));
    sandbox.write("tasks.jsonl", `${lines.join("\n")}\n`);
    await run(["config", "show"]); // sends nothing
    await run(["queue", "import", "tasks.jsonl"]);
    await run(["work", "--handlers", "handlers.mjs", "--processes", "2", "--drain"]);
    await run(["ledger", "sync"]);
    await run(["queue", "stats"]);
    await run(["bucket", "ls", `s3://${place.bucket}/fleet${query}`]);

    const shown = await usageOf(sandbox);
    const counted: Record<string, number> = {};
    for (const { operation, requests } of shown.rows) {
      counted[operation] = (counted[operation] ?? 0) + requests;
    }
    expect(counted).toEqual(Object.fromEntries(proxy.requests));
    expect(shown.all.failed).toBe(proxy.failed());
    expect(proxy.failed()).toBeGreaterThan(0);
    const callers = new Set(shown.rows.map(({ caller }) => caller));
    for (const caller of ["command", "connection", "handlers", "ledger", "queue"]) {
      expect(callers).toContain(caller);
    }
    const perThousand = { get: 0.0004, delete: 0 } as Readonly<Record<string, number>>;
    const price = shown.rows.reduce(
      (sum, { operation, requests, failed }) =>
        sum + ((requests - failed) * (perThousand[operation] ?? 0.005)) / 1_000,
      0,
    );
    expect(shown.all.dollars).toBeCloseTo(price, 9);
  });
});

test("commands that run at once do not lose each other's counts", async () => {
  const sandbox = await createQueueSandbox();
  const put = (key: string) =>
    sandbox.forager(["bucket", "put", "dir:b", key, "--data", "data"], { input: "x" });
  const first = await put("first");
  expect(first.exitCode, first.stderr).toBe(0);
  expect(await usageOf(sandbox)).toMatchObject({ all: { requests: 0 } }); // no data folder yet
  expect((await sandbox.forager(["company", "add", "a.example", "--data", "data"])).exitCode).toBe(
    0,
  );
  const ended = await Promise.all(Array.from({ length: 6 }, (_, at) => put(`k${at}`)));
  expect(ended.map(({ exitCode }) => exitCode)).toEqual(Array(6).fill(0));
  const shown = await usageOf(sandbox, ["--since", "today"]);
  expect(shown.rows).toMatchObject([
    { caller: "command", operation: "put", requests: 6, failed: 0, bytesSent: 6 },
  ]);
});

test("damaged counts are replaced and reported, and nothing else fails", async () => {
  const sandbox = await createQueueSandbox();
  await sandbox.forager(["company", "add", "a.example", "--data", "data"]);
  const put = () =>
    sandbox.forager(["bucket", "put", "dir:b", "key", "--data", "data"], { input: "x" });
  await put();
  const folder = join(sandbox.folder, "data/node");
  writeFileSync(join(folder, "usage.db"), "no database, ".repeat(500));
  const { exitCode, stderr } = await put();
  expect(exitCode).toBe(0);
  expect(stderr).toContain("the counts of bucket requests were damaged");
  const aside = readdirSync(folder).find((name) => name.startsWith("usage.db.damaged-"));
  expect(stderr).toContain(aside);
  expect(await usageOf(sandbox)).toMatchObject({ all: { requests: 1 } });
});

test("--since and a bucket exclude each other; a bucket is counted as before", async () => {
  const sandbox = await createQueueSandbox();
  await sandbox.forager(["bucket", "put", "dir:b", "a/b"], { input: "xyz" });
  const both = await sandbox.forager(["bucket", "usage", "dir:b", "--since", "7d"]);
  expect(both.exitCode).toBe(2);
  expect(both.stderr).toContain("leave one out");
  const stored = await sandbox.forager(["bucket", "usage", "dir:b", "--json"]);
  expect(JSON.parse(stored.stdout)).toEqual([{ folder: "a/", objects: 1, bytes: 3 }]);
  const none = await sandbox.forager(["bucket", "usage", "--data", "nowhere"]);
  expect(none.stdout).toMatch(/^no requests to buckets are recorded since \d{4}-/);
});
