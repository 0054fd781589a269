// needs: promtool postgres
// inputs: src/** package.json tsconfig.json tsconfig.build.json docs/metrics.md
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Webhook } from "standardwebhooks";
import { signedHeaders, type Received } from "../../src/notify/testing/receiver.ts";
import { parseHeartbeat } from "../../src/observe/index.ts";
import { createTestSchema } from "../../src/queue/adapters/postgres/testing/test-schema.ts";
import { builtCli } from "../support/built-cli.ts";
import { createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";
import { repositoryRoot } from "../support/repository.ts";
import { until } from "../support/until.ts";
import { needs } from "../support/services.ts";

const handlers = `
import { setTimeout as wait } from "node:timers/promises";
export const quick = { kind: "quick", run: () => {}, yields: () => 1, cap: { limit: 2, key: () => "all" } };
export const slow = { kind: "slow", politeness: () => ({ floorMs: 10, ceilingMs: 1000 }),
  run: ({ signal }) => wait(300, undefined, { signal }) };
export const block = { kind: "block", run: () => { for (;;) {} } };
`;

const secret = Buffer.alloc(32, 7).toString("base64");

async function startWork(
  settings: string,
  args: readonly string[] = [],
  address = "sqlite:q.db",
  before?: QueueSandbox,
) {
  const sandbox = before ?? (await createQueueSandbox(address));
  sandbox.write("handlers.mjs", handlers);
  sandbox.write("forager.toml", settings);
  const main = await builtCli();
  const words = ["work", "--handlers", "handlers.mjs", "--queue", address, "--data", "data"];
  const child = spawn(process.execPath, [main, ...words, "--listen", "127.0.0.1:0", ...args], {
    cwd: sandbox.folder,
    env: { PATH: process.env["PATH"], HOME: sandbox.folder },
  });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  onTestFinished(() => void child.kill("SIGKILL"));
  const served = await until(
    () => /http:\/\/[\d.]+:\d+/.exec(text)?.[0],
    () => text,
  );
  const token = readFileSync(join(sandbox.folder, "data/node/metrics.token"), "utf8").trim();
  const get = async (path: string, authorization = `Bearer ${token}`) => {
    const answer = await fetch(`${served}${path}`, { headers: { authorization } });
    return { status: answer.status, body: await answer.text() };
  };
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { sandbox, child, get, ended, text: () => text };
}

const isDone = (sandbox: QueueSandbox, count: number) =>
  sandbox.use(async (queue) => (await queue.stats()).states.done === count);

needs(["promtool", "postgres"], ({ promtool, postgres }) => {
  test("D13: /metrics has every documented metric, and Prometheus' own check finds nothing", async () => {
    const schema = await createTestSchema(postgres.url);
    onTestFinished(() => schema[Symbol.asyncDispose]());
    const { sandbox, get, child, ended } = await startWork(
      "[queue]\nleaseMs = 5000\n",
      ["--concurrency", "2-8"],
      `${postgres.url}?schema=${encodeURIComponent(schema.name)}`,
    );
    await sandbox.use((queue) =>
      queue.add([
        ...Array.from({ length: 30 }, () => ({ kind: "quick" })),
        ...Array.from({ length: 5 }, () => ({ kind: "slow", gate: "a.example" })),
      ]),
    );
    await until(
      () => isDone(sandbox, 35),
      () => "all tasks are done",
    );
    const text = await until(
      async () => {
        const { body } = await get("/metrics");
        const has = (line: string) => body.includes(line);
        return has('forager_tasks_ended_total{kind="quick",result="done"} 30') &&
          has('forager_queue_tasks{kind="slow",state="done"} 5') &&
          has('forager_task_yield_total{kind="quick"} 30') &&
          has("forager_scaler_evaluations_total")
          ? body
          : undefined;
      },
      () => "the metrics say so too",
    );
    const checked = spawnSync(promtool.path, ["check", "metrics"], {
      input: text,
      encoding: "utf8",
    });
    expect(checked.stdout + checked.stderr).toBe("");
    expect(checked.status).toBe(0);

    const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!).sort();
    const page = readFileSync(join(repositoryRoot, "docs/metrics.md"), "utf8");
    const documented = [...page.matchAll(/^\| `(forager_\w+)`/gm)].map(([, name]) => name!).sort();
    // These appear with the first of their kind; here all went well, no website was visited and no
    // bucket asked.
    const absent = documented.filter((name) => !served.includes(name));
    const later =
      /slow_total|failed_total|alerts_total|restarts|_(bucket|fetch|pages|contacts|visits)/;
    expect(absent.filter((name) => !later.test(name))).toEqual([]);
    expect(served.filter((name) => !documented.includes(name))).toEqual([]);
    // Lesson 27: no label that grows with the data.
    expect(text).not.toMatch(/job=|gate=|key=|a\.example/);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});

test("/healthz means consuming, /readyz that it can; a heartbeat describes the node", async () => {
  const { sandbox, get, child, ended } = await startWork(
    "[queue]\nleaseMs = 2000\n[work]\nwatchdogMs = 4000\n",
  );
  await until(
    async () => (await get("/readyz")).status === 200,
    () => "it is ready",
  );
  await until(
    async () => (await get("/healthz")).status === 200,
    () => "it is healthy",
  );
  expect((await get("/nothing")).status).toBe(404);
  // Without the token nobody gets data, only whether it is well.
  for (const wrong of ["", "Bearer 0000"]) {
    expect((await get("/metrics", wrong)).status).toBe(401);
    const seen = await until(
      async () => {
        const answer = await get("/healthz", wrong);
        return answer.status === 200 ? answer : undefined;
      },
      () => "it is healthy for anybody who asks",
    );
    expect(seen.body).toBe('{"ok":true}\n');
  }
  const heartbeat = await until(
    () => {
      const folder = join(sandbox.folder, "data/nodes");
      const found = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
      const read = parseHeartbeat(found[0] ?? "");
      return read?.workers[0]?.state === "running" ? read : undefined;
    },
    () => "a heartbeat",
  );
  expect(heartbeat).toMatchObject({ format: 1, workers: [{ name: "all-1", concurrency: 10 }] });
  expect(heartbeat.machine.memoryBytes.total).toBeGreaterThan(0);
  expect(JSON.stringify(heartbeat)).not.toMatch(/password|secret/i);

  await sandbox.use((queue) => queue.add([{ kind: "block", attemptsMax: 3 }]));
  const sick = await until(
    async () => {
      const { status, body } = await get("/healthz");
      return status === 503 ? body : undefined;
    },
    () => "a process that dies again and again is not healthy",
  );
  expect(sick).toMatch(/worker all-1 is (waiting|starting)/);
  expect((await get("/healthz", "")).body).not.toContain("all-1");
  child.kill("SIGTERM");
  await ended;
  expect(readdirSync(join(sandbox.folder, "data/nodes"))).toEqual([]);
});

test("a stall is logged, counted and sent; an alarm that was not accepted survives kill -9", async () => {
  const posted: Received[] = [];
  let status = 503;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      posted.push({ path: "", body, headers: request.headers });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const settings = `[alert]\nstallMs = 1000\nwebhook = { command = "echo http://127.0.0.1:${port}/" }\nsecret = { command = "echo whsec_${secret}" }\n`;
  const first = await startWork(settings, ["--kinds", "slow"]);
  // Nobody does these, and they could be done.
  await first.sandbox.use((queue) => queue.add([{ kind: "quick" }]));
  const isStall = ({ body }: Received) => body.includes('"stall"');
  await until(
    () => posted.find(isStall),
    () => first.text(),
  );
  expect(first.text()).toContain("work is stalled");
  expect((await first.get("/metrics")).body).toContain(
    'forager_alerts_total{event="stall_began"} 1',
  );
  expect((await first.get("/healthz")).status).toBe(503);
  first.child.kill("SIGKILL");
  await first.ended;
  const refused = posted.findLast(isStall)!;
  posted.length = 0;
  status = 200;

  const again = await startWork(settings, ["--kinds", "slow"], "sqlite:q.db", first.sandbox);
  const accepted = await until(
    () => posted.find(isStall),
    () => again.text(),
  );
  expect(accepted.headers["webhook-id"]).toBe(refused.headers["webhook-id"]);
  const event = new Webhook(secret).verify(accepted.body, signedHeaders(accepted));
  expect(event).toMatchObject({
    type: "alarm.began",
    data: { name: "stall", subject: expect.stringMatching(/ kind quick$/) as string },
  });
  again.child.kill("SIGTERM");
  await again.ended;
  expect(posted.filter(isStall)).toHaveLength(1);
});
