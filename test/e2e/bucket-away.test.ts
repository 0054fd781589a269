// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ClusterStatus } from "../../src/app/status/cluster-status.ts";
import { systemRandom } from "../../src/base/random.ts";
import { makeKey } from "../../src/gossip/index.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";

/** Ports that nobody listens at. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address === "object" && address) ports.push(address.port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

interface Place {
  readonly sandbox: Sandbox;
  readonly env: (own: number) => Record<string, string>;
}

/** Two nodes in touch by gossip, with a bucket and a queue that do not answer. */
async function setUp(): Promise<Place> {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const [away, ...ports] = await freePorts(3);
  const key = makeKey(systemRandom);
  const env = (own: number) => ({
    FORAGER_DATA: join(sandbox.folder, `node${own}`),
    FORAGER_BUCKET_URL: `postgres://u:p@127.0.0.1:${away}/fleet`,
    FORAGER_GOSSIP_KEYS: key,
    FORAGER_GOSSIP_HOST: "127.0.0.1",
    FORAGER_GOSSIP_PORT: String(ports[own]),
    FORAGER_GOSSIP_PEERS: `127.0.0.1:${ports[1 - own]}`,
  });
  return { sandbox, env };
}

test("while the bucket is away, nodes start, follow commands by gossip and are seen, and it is said", async () => {
  const { sandbox, env } = await setUp();
  for (const own of [0, 1]) {
    const ended = sandbox.forager([own === 0 ? "node" : "work", ...(own === 0 ? ["run"] : [])], {
      env: env(own),
      onStart: (kill) =>
        onTestFinished(async () => {
          kill("SIGKILL");
          await ended;
        }),
    });
  }
  const run = (...args: string[]) => sandbox.forager([...args, "--json"], { env: env(0) });
  const status = async () => {
    const { exitCode, stdout } = await run("status", "--cluster");
    return { exitCode, ...(JSON.parse(stdout) as ClusterStatus) };
  };
  const presence = async () =>
    (await status()).nodes.filter(({ isPresent, beat }) => isPresent && beat).length;
  await expect.poll(presence).toBe(2);

  const set = await run("fleet", "set", "all", "pause");
  expect(set.exitCode, set.stderr).toBe(3);
  expect(set.stderr).toContain("get it when the bucket is back: the bucket did not answer");
  const { nodes } = JSON.parse(set.stdout) as { nodes: readonly { readonly status: string }[] };
  expect(nodes.map((node) => node.status)).toEqual(["followed", "followed"]);

  const [seen, show] = await Promise.all([status(), run("fleet", "show")]);
  expect(seen.exitCode).toBe(3);
  expect(seen.attention).toEqual([
    expect.stringMatching(/^the bucket cannot be reached: /),
    expect.stringMatching(/^the queue cannot be reached: /),
  ]);
  const states = seen.nodes.map(({ isSelf, beat }) => [isSelf, beat?.state]);
  expect(states).toEqual([
    [true, "idle"],
    [false, "paused"],
  ]);
  expect(show.exitCode).toBe(3);
  expect(JSON.parse(show.stdout)).toMatchObject({ entries: [{ key: "state", value: "paused" }] });
});

test("if no node runs, a command that no node could get is refused; fleet show shows the known state", async () => {
  const { sandbox, env } = await setUp();
  const [set, looked, near] = await Promise.all([
    sandbox.forager(["fleet", "set", "all", "pause"], { env: env(0) }),
    sandbox.forager(["status", "--cluster", "--json"], { env: env(1) }),
    sandbox.forager(["status"], { env: { ...env(1), FORAGER_QUEUE_URL: "sqlite:queue.db" } }),
  ]);
  expect([set.exitCode, set.stderr]).toEqual([1, expect.stringContaining("did not answer")]);
  expect(looked.exitCode, looked.stderr).toBe(3);
  expect((JSON.parse(looked.stdout) as ClusterStatus).attention).toEqual([
    expect.stringMatching(/^the bucket cannot be reached: /),
    expect.stringMatching(/^the queue cannot be reached: /),
  ]);
  // It asks the bucket nothing, so it does not mind.
  expect([near.exitCode, near.stdout]).toEqual([0, expect.stringContaining("nothing needs")]);
});

test("a desired state that cannot be read is reported: no command would arrive", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const bucket = `dir:${join(sandbox.folder, "bucket")}`;
  const env = { FORAGER_DATA: join(sandbox.folder, "data"), FORAGER_BUCKET_URL: bucket };
  const status = () => sandbox.forager(["status", "--cluster", "--json"], { env });
  expect((await sandbox.forager(["fleet", "set", "all", "pause"], { env })).exitCode).toBe(0);
  expect((await status()).exitCode).toBe(0);
  const put = ["bucket", "put", bucket, "fleet/desired.json"];
  await sandbox.forager(put, { input: "somebody else's" });
  const { exitCode, stdout } = await status();
  expect(exitCode).toBe(3);
  expect((JSON.parse(stdout) as ClusterStatus).attention).toEqual([
    expect.stringContaining("fleet/desired.json is not ours"),
  ]);
  const set = await sandbox.forager(["fleet", "set", "all", "resume"], { env });
  expect([set.exitCode, set.stderr]).toEqual([1, expect.stringContaining("nothing was changed")]);
});
