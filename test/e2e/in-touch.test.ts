// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ClusterStatus } from "../../src/app/status/cluster-status.ts";
import { systemRandom } from "../../src/base/random.ts";
import type { Acknowledgement } from "../../src/cli/commands/fleet/await-followers.ts";
import { makeKey } from "../../src/gossip/index.ts";
import { allowingForLoad } from "../../src/base/testing/busy-machine.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly data: string;
}

/** Two nodes of one machine that know of each other, with one queue in a folder. */
async function setUp(): Promise<{ sandbox: Sandbox; places: readonly [Place, Place] }> {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const ports = [await freeUdpPort(), await freeUdpPort()];
  const key = makeKey(systemRandom);
  const place = (own: number): Place => {
    const data = join(sandbox.folder, `node${own}`);
    return {
      data,
      env: {
        FORAGER_DATA: data,
        FORAGER_QUEUE_URL: `dir:${join(sandbox.folder, "queue")}`,
        FORAGER_GOSSIP_KEYS: key,
        FORAGER_GOSSIP_HOST: "127.0.0.1",
        FORAGER_GOSSIP_PORT: String(ports[own]),
        FORAGER_GOSSIP_PEERS: `127.0.0.1:${ports[1 - own]}`,
      },
    };
  };
  return { sandbox, places: [place(0), place(1)] };
}

/** Runs until the test is over; resolves when it is in touch. */
async function start(sandbox: Sandbox, { env }: Place, args: readonly string[]): Promise<void> {
  let text = "";
  let ended: Promise<unknown> = Promise.resolve();
  const begun = new Promise<void>((resolve, reject) => {
    ended = sandbox
      .run("sh", ["-c", `exec "$0" "$@" 2>&1`, process.execPath, ...args], {
        env,
        onStart: (kill) =>
          onTestFinished(async () => {
            kill("SIGTERM");
            await ended;
          }),
        onStdout(all) {
          text = all;
          if (all.includes("gossip started")) resolve();
        },
      })
      .then(() => reject(new Error(`it ended: ${text}`)));
    ended.catch(() => {});
  });
  await begun;
}

const handlers = `
import { appendFileSync } from "node:fs";
export const note = {
  kind: "note",
  run: async ({ task }) => void appendFileSync("log", \`\${task.key} \${Date.now()}\\n\`),
};
`;

test("work that is added on one node is begun by an idle one within a second", async () => {
  const { sandbox, places } = await setUp();
  const main = (await sandbox.run("sh", ["-c", "echo $FORAGER_TEST_MAIN"])).stdout.trim();
  const log = join(sandbox.folder, "log");
  writeFileSync(log, "");
  writeFileSync(join(sandbox.folder, "handlers.mjs"), handlers);
  const add = async (key: string) => {
    const args = ["queue", "add", "note", "{}", "--key", key];
    const { exitCode, stderr } = await sandbox.forager(args, { env: places[0].env });
    expect(exitCode, stderr).toBe(0);
    return Date.now();
  };
  await start(sandbox, places[0], [main, "node", "run"]);
  await start(sandbox, places[1], [main, "work", "--handlers", "handlers.mjs"]);
  const begun = () => readFileSync(log, "utf8").trim().split("\n").filter(Boolean);
  await add("first");
  await expect.poll(() => begun().length).toBe(1);
  // Until it looks by itself only every eight seconds.
  await new Promise((resolve) => setTimeout(resolve, 9_000));
  const addedAtMs = await add("second");
  await expect.poll(() => begun().length, { interval: 20 }).toBe(2);
  const begunAtMs = Number(begun()[1]!.split(" ")[1]);
  expect(begunAtMs - addedAtMs).toBeLessThan(allowingForLoad(1_000));
});

test("what another process writes on one node is a file on the other, soon after", async () => {
  const { sandbox, places } = await setUp();
  const main = (await sandbox.run("sh", ["-c", "echo $FORAGER_TEST_MAIN"])).stdout.trim();
  await start(sandbox, places[0], [main, "node", "run"]);
  await start(sandbox, places[1], [main, "node", "run"]);
  const args = ["ledger", "set", "company/a1", "name=Acme", "slug=acme", "domain=acme.test"];
  const { exitCode, stderr } = await sandbox.forager(args, { env: places[0].env });
  expect(exitCode, stderr).toBe(0);
  const file = join(places[1].data, "companies", "acme", "_index.md");
  await expect.poll(() => existsSync(file)).toBe(true);
  expect(readFileSync(file, "utf8")).toContain("domain: acme.test");
});

test("without anybody to be in touch with, `node run` says what is missing", async () => {
  const { sandbox } = await setUp();
  const { exitCode, stderr } = await sandbox.forager(["node", "run"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("gossip.keys");
  const key = await sandbox.forager(["node", "key"]);
  expect(key.stdout).toMatch(/^[A-Za-z0-9+/]{43}=\n$/u);
  // `sh` has the usual umask; the file is for its owner alone all the same, and never replaced.
  const write = `umask 0; exec "$0" "$FORAGER_TEST_MAIN" node key --to gossip.key`;
  const file = join(sandbox.folder, "gossip.key");
  expect((await sandbox.run("sh", ["-c", write, process.execPath])).exitCode).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const kept = readFileSync(file, "utf8");
  expect(kept).toMatch(/^[A-Za-z0-9+/]{43}=\n$/u);
  const again = await sandbox.forager(["node", "key", "--to", "gossip.key"]);
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining("exists already")]);
  expect(readFileSync(file, "utf8")).toBe(kept);
  const lost = await sandbox.forager(["node", "run"], { env: { FORAGER_GOSSIP_PEERS: "pi-7" } });
  expect([lost.exitCode, lost.stderr]).toEqual([2, expect.stringContaining("host:port")]);
  const bad = { FORAGER_GOSSIP_KEYS: "short" };
  expect((await sandbox.forager(["node", "run"], { env: bad })).stderr).toContain(
    "forager node key",
  );
});

test("B11: by gossip alone a command reaches another node at once, and both acknowledge it", async () => {
  const { sandbox, places } = await setUp();
  const main = (await sandbox.run("sh", ["-c", "echo $FORAGER_TEST_MAIN"])).stdout.trim();
  await start(sandbox, places[0], [main, "node", "run"]);
  await start(sandbox, places[1], [main, "work"]);
  const json = async <T>(args: readonly string[]): Promise<T> => {
    const { stdout, stderr } = await sandbox.forager([...args, "--json"], { env: places[0].env });
    expect(stderr).toBe("");
    return JSON.parse(stdout) as T;
  };
  const status = () => json<ClusterStatus>(["status", "--cluster"]);
  // The first word of a peer is a heartbeat; what it is told may come before it was met.
  await expect.poll(async () => (await status()).nodes.filter(({ beat }) => beat).length).toBe(2);
  const { nodes } = await json<{ nodes: readonly Acknowledgement[] }>(
    ["fleet", "set", "all", "pause", "--wait", "8s"], // shorter than any look into a bucket
  );
  expect(nodes.map(({ status: end }) => end)).toEqual(["followed", "followed"]);
  const { gossip } = await status();
  expect(gossip!.packetsIn).toBeGreaterThan(0);
  expect(gossip!.droppedByReason["unauthenticated"]).toBe(0);
  const [own, other] = [nodes[0]!, nodes[1]!];
  expect([own.what, other.what]).toEqual(["no process of this node runs tasks", "paused"]);
  expect(other.afterMs).toBeLessThan(allowingForLoad(4_000));
  // What a peer has is known by its next digest, a second later.
  await expect
    .poll(async () => (await status()).nodes[1])
    .toMatchObject({
      isPresent: true,
      how: "static",
      drift: { missingHere: 0, missingThere: 0, seconds: 0 },
      beat: { state: "paused", followed: { revision: 1, isApplied: true } },
    });
});
