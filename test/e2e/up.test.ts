// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ClusterStatus } from "../../src/app/index.ts";
import type { Heartbeat } from "../../src/observe/index.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";
import { runUp } from "../support/run-up.ts";

const handlers = `
import { appendFileSync } from "node:fs";
export const note = {
  kind: "note",
  async run({ task, services }) {
    await services.bucket.put(\`note/\${task.key}\`, Buffer.from("x"));
    appendFileSync("log", \`\${task.key}\\n\`);
  },
};
`;

const args = ["--data", "data", "--bucket", "dir:bucket", "--handlers", "handlers.mjs"];
const timeout = 180_000;

async function setUp() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  writeFileSync(join(sandbox.folder, "handlers.mjs"), handlers);
  writeFileSync(join(sandbox.folder, "log"), "");
  const env = {
    FORAGER_GOSSIP_PORT: String(await freeUdpPort()),
    FORAGER_QUEUE_URL: "sqlite:queue.db",
  };
  const run = async (words: string) => {
    const ran = await sandbox.forager([...words.split(" "), "--data", "data"]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    return ran.stdout;
  };
  return { sandbox, env, run, done: () => readFileSync(join(sandbox.folder, "log"), "utf8") };
}

test("API, dashboard and metrics are on one port; a port in use is reported, and the node works", async () => {
  const { sandbox, env, run } = await setUp();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const up = await runUp(sandbox, ["--data", "data", "--no-workers", "--json"], {
    ...env,
    FORAGER_SERVE_LISTEN: `127.0.0.1:${port}`,
  });
  await expect.poll(() => up.part("dashboard")?.state, { timeout }).toBe("failing");
  expect(up.part("dashboard")?.text).toContain(`EADDRINUSE: address already in use 127.0.0.1:${port}`); // prettier-ignore
  await run("company add Acme");
  other.close();
  await expect.poll(() => up.part("dashboard")?.state, { timeout: 180_000 }).toBe("running");
  const token = readFileSync(join(sandbox.folder, "data", "node", "api.token"), "utf8").trim();
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const own = { authorization: `Bearer ${token}` };
  expect((await get("/metrics")).status).toBe(401);
  const metrics = await get("/metrics", own);
  expect(metrics.headers.get("content-type")).toContain("version=0.0.4");
  expect(await metrics.text()).toContain("# TYPE forager_");
  expect(await (await get("/readyz")).json()).toEqual({ ok: true });
  expect(await (await get("/api/companies/count", own)).json()).toMatchObject({ count: 1 });
  expect((await get("/")).headers.get("content-type")).toContain("text/html");
  const history = (await (await get("/api/history", own)).json()) as { series: object };
  expect(Object.keys(history.series)).toContain("load1");
  up.kill("SIGTERM");
  await up.ended;
  const kept = readFileSync(join(sandbox.folder, "data", "node", "history.json"), "utf8");
  expect(JSON.parse(kept)).toMatchObject({ format: 1, minutes: [expect.any(Array)] });
}, 120_000);

const filesBelow = ({ folder }: Sandbox, path: string) =>
  readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

test("starts all parts with a line for each, works, and stops them with a line for each", async () => {
  const { sandbox, env, run, done } = await setUp();
  const up = await runUp(sandbox, [...args, "--listen", "127.0.0.1:0"], {
    ...env,
    FORAGER_SERVE_LISTEN: "127.0.0.1:0",
  });
  await expect.poll(() => up.stdout(), { timeout }).toContain("workers   1 process");
  await expect.poll(() => up.stdout(), { timeout }).toContain("dashboard ");
  const data = join(sandbox.folder, "data");
  const begun = up.stdout().trimEnd().split("\n");
  const at = `127.0.0.1:${env.FORAGER_GOSSIP_PORT}`;
  expect(begun.toSorted()).toEqual([
    `bucket    dir:${join(sandbox.folder, "bucket")}, synced every 10 s`,
    expect.stringMatching(
      /^dashboard (http:\/\/127\.0\.0\.1:\d+) with API and metrics, open once: \1\/login\?code=\w+$/,
    ),
    `data      ${data} (owner)`,
    `gossip    udp ${at}, own key: no other machine can join`,
    expect.stringMatching(/^metrics {3}http:\/\/127\.0\.0\.1:\d+\/metrics, token in \S+$/),
    `queue     sqlite:${join(data, "queue.db")}`,
    "workers   1 process, 10 tasks at once: note discover details enrich resolve dispatch schedule webhook",
  ]);
  await run("queue add note {} --key first");
  await expect.poll(done, { timeout }).toBe("first\n");
  const [url = ""] = /http:\S+(?=\/metrics,)/.exec(up.stdout()) ?? [];
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  // --bucket counts for worker processes too.
  expect(filesBelow(sandbox, "bucket/handlers")).toEqual(["first"]);
  await run("ledger set company/1 name=Acme");
  up.kill("SIGTERM");
  expect(await up.ended, up.stderr()).toBe(0);
  const ended = up.stdout().trimEnd().split("\n").slice(begun.length);
  expect(ended).toEqual([
    "dashboard stopped",
    "workers   stopped: 1 done, 0 skipped, 0 retried, 0 failed",
    "metrics   stopped",
    "gossip    stopped",
    "bucket    stopped",
    "data      closed",
    "queue     closed",
  ]);
  // What was written is in the bucket before it ends.
  expect(filesBelow(sandbox, "bucket/ledger/wal")).toHaveLength(1);
  expect(await run("ledger show company/1")).toContain("Acme");
});

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("a second one is a client of the first, and takes over when that is killed with -9", async () => {
  const { sandbox, env, run, done } = await setUp();
  const first = await runUp(sandbox, [...args, "--json"], env);
  await expect.poll(() => first.part("workers")?.state, { timeout }).toBe("running");
  const second = await runUp(sandbox, [...args, "--json"], env);
  await expect.poll(() => second.part("workers")?.state, { timeout }).toBe("running");
  const states = (up: typeof first) =>
    Object.fromEntries(up.parts().map(({ part, state }) => [part, state]));
  expect(states(first)).toMatchObject({ data: "owner", bucket: "running", gossip: "running" });
  expect(states(second)).toMatchObject({
    data: "client",
    bucket: "elsewhere",
    gossip: "elsewhere",
  });
  expect(second.part("data")?.text).toContain(`client: process ${first.pid} owns it`);

  await run("ledger set company/1 name=Acme");
  const workersOf = (up: typeof first) =>
    readdirSync(join(sandbox.folder, "data/nodes"))
      .map((name) => readFileSync(join(sandbox.folder, "data/nodes", name), "utf8"))
      .map((text) => JSON.parse(text) as Heartbeat)
      .filter(({ pid }) => pid === up.pid)
      .flatMap((heartbeat) => heartbeat.workers.flatMap(({ pid }) => pid ?? []));
  await expect.poll(() => workersOf(first).length, { timeout }).toBe(1);
  const workers = workersOf(first);
  first.kill("SIGKILL");
  await first.ended;
  await expect
    .poll(() => states(second), { timeout })
    .toMatchObject({
      data: "owner",
      bucket: "running",
      gossip: "running",
    });
  expect(second.part("data")?.text).toContain(`owner, because process ${first.pid} has exited`);
  await expect.poll(() => workers.filter(isAlive), { timeout }).toEqual([]);

  expect(await run("ledger show company/1")).toContain("Acme");
  await run("ledger set company/1 phone=+4989");
  await run("queue add note {} --key second");
  await expect.poll(done, { timeout }).toBe("second\n");
  second.kill("SIGTERM");
  expect(await second.ended, second.stderr()).toBe(0);
  expect(states(second)).toMatchObject({ data: "stopped", workers: "stopped", queue: "stopped" });
});

test("--no-workers does no tasks, and is ready without any worker", async () => {
  const { sandbox, env, run, done } = await setUp();
  const words = [...args, "--json", "--no-workers", "--listen", "127.0.0.1:0"];
  const up = await runUp(sandbox, words, env);
  await expect.poll(() => up.part("workers")?.state, { timeout }).toBe("off");
  await run("queue add note {} --key one");
  const [url = ""] = /http:\S+(?=\/metrics,)/.exec(up.part("metrics")!.text) ?? [];
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout }).toBe(200);
  // 3: the task has nobody to do it.
  const { exitCode, stdout } = await sandbox.forager(["status", "--json", "--data", "data"]);
  expect(exitCode).toBe(3);
  const { nodes } = JSON.parse(stdout) as ClusterStatus;
  expect(nodes.map(({ beat }) => beat?.state)).toEqual(["idle"]);
  expect(done()).toBe("");
  up.kill("SIGTERM");
  expect(await up.ended, up.stderr()).toBe(0);
  expect(existsSync(join(sandbox.folder, "data/node/owner.json"))).toBe(false);
});
