// needs: otheruser
// inputs: src/** package.json tsconfig.json tsconfig.build.json
/**
 * Another user of the same machine is a stranger: loopback is not a user. The data folder of the
 * owner exists already and can be listed by everybody, so that only what Forager itself does
 * protects it.
 */
import { hkdfSync } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, afterAll, describe, expect, test } from "vitest";
import type { ClusterStatus } from "../../src/app/status/cluster-status.ts";
import { createSandbox, type RunOptions, type Sandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";
import { needs } from "../support/services.ts";

interface Person {
  readonly sandbox: Sandbox;
  readonly data: string;
  forager(args: readonly string[]): Promise<string>;
  /** Runs until the tests are over. */
  start(args: readonly string[]): Promise<void>;
}

/** Before, a node without `gossip.keys` used this key, which everybody could compute. */
const formerKey = Buffer.from(
  hkdfSync("sha256", "", "", "forager gossip without a key", 32),
).toString("base64");

needs(["otheruser"], ({ otheruser: { uid } }) => {
  const endings: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  async function person(
    env: Readonly<Record<string, string>>,
    as?: number,
  ): Promise<Person & { readonly output: () => string }> {
    const sandbox = await createSandbox();
    const data = join(sandbox.folder, "data");
    mkdirSync(data);
    for (const folder of [dirname(sandbox.folder), sandbox.folder, data]) {
      chmodSync(folder, 0o755);
      if (as !== undefined) chownSync(folder, as, as);
    }
    if (as !== undefined) chownSync(join(dirname(sandbox.folder), "home"), as, as);
    endings.push(async () => sandbox.remove());
    const options: RunOptions = {
      env: { FORAGER_DATA: data, ...env },
      ...(as !== undefined && { uid: as }),
    };
    let output = "";
    return {
      sandbox,
      data,
      output: () => output,
      async forager(args) {
        const { stdout, stderr, exitCode } = await sandbox.forager(args, options);
        if (exitCode !== 0 && exitCode !== 3) throw new Error(`exit ${exitCode}: ${stderr}`);
        return stdout;
      },
      start: (args) =>
        new Promise((resolve, reject) => {
          const main = `exec "$0" "$FORAGER_TEST_MAIN" "$@" 2>&1`;
          let stop = (_signal: NodeJS.Signals) => {};
          const ended = sandbox.run("sh", ["-c", main, process.execPath, ...args], {
            ...options,
            onStart: (kill) => void (stop = kill),
            onStdout(all) {
              output = all;
              if (all.includes("gossip started") || /^gossip +udp/m.test(all)) resolve();
            },
          });
          ended.then(() => reject(new Error(`it ended: ${output}`)), reject);
          endings.push(async () => {
            stop("SIGKILL");
            await ended;
          });
        }),
    };
  }

  let owner: Awaited<ReturnType<typeof person>>;
  let port = 0;
  beforeAll(async () => {
    port = await freeUdpPort();
    owner = await person({
      FORAGER_GOSSIP_PEERS: "127.0.0.1:9",
      FORAGER_GOSSIP_PORT: `${port}`,
      FORAGER_SERVE_LISTEN: "127.0.0.1:0",
    });
    await owner.forager(["company", "add", "Private Ltd", "--phone", "+1 202 555 0143"]);
    await owner.start(["up", "--listen", "127.0.0.1:0"]);
  });

  const statusOf = async (who: Person) =>
    JSON.parse(await who.forager(["status", "--json"])) as ClusterStatus;

  describe.each([
    ["no key", {}],
    ["the key that was in the source", { FORAGER_GOSSIP_KEYS: formerKey }],
  ])("with %s", (_name, keys) => {
    test("another user can neither join nor read nor write nor command", async () => {
      const intruder = await person(
        {
          FORAGER_GOSSIP_PEERS: `127.0.0.1:${port}`,
          FORAGER_GOSSIP_HOST: "127.0.0.1",
          FORAGER_GOSSIP_PORT: `${await freeUdpPort()}`,
          ...keys,
        },
        uid,
      );
      await intruder.forager(["company", "add", "Intruder Ltd"]);
      const refused = async () =>
        (await statusOf(owner)).gossip?.droppedByReason["unauthenticated"] ?? 0;
      const before = await refused();
      await intruder.start(["node", "run"]);
      await intruder.forager(["fleet", "set", "all", "pause", "--wait", "2s"]);
      // Its greetings have arrived and were refused, several times over.
      await expect.poll(refused).toBeGreaterThan(before + 3);
      const named = async (who: Person) => await who.forager(["company", "list"]);
      expect(await named(owner)).toContain("Private Ltd");
      expect(await named(owner)).not.toContain("Intruder");
      expect(await named(intruder)).not.toContain("Private");
      const [self] = (await statusOf(owner)).nodes;
      expect(self!.beat?.state).toBe("working");
      expect((await statusOf(intruder)).gossip?.packetsIn).toBe(0);
    });
  });

  test("another user cannot read a file, though the data folder can be listed", async () => {
    await expect.poll(() => owner.output(), { timeout: 180_000 }).toContain("\ndashboard http:");
    const secrets = [
      "node/gossip.key",
      "node/metrics.token",
      "node/owner.json",
      "node/api.token",
      "node/api.json",
    ];
    for (const name of secrets) {
      const file = join(owner.data, name);
      expect(statSync(file).mode & 0o777, name).toBe(0o600);
      const { exitCode } = await owner.sandbox.run("cat", [file], { uid });
      expect(exitCode, name).not.toBe(0);
    }
    const found = await owner.sandbox.run("find", [owner.data, "-type", "f", "-readable"], { uid });
    expect(found.stdout).toBe("");
  });

  test("no port on loopback gives data or takes a command without a secret", async () => {
    const read = (name: string) =>
      JSON.parse(readFileSync(join(owner.data, name), "utf8")) as { port: number };
    await expect.poll(() => owner.output(), { timeout: 180_000 }).toContain("\ndashboard http:");
    const [, metricsPort] = /^metrics +http:\/\/127\.0\.0\.1:(\d+)/m.exec(owner.output())!;
    const [, apiPort] = /^dashboard http:\/\/127\.0\.0\.1:(\d+)/m.exec(owner.output())!;
    const ports = {
      metrics: Number(metricsPort),
      api: Number(apiPort),
      live: Number(apiPort),
      owner: read("node/owner.json").port,
      gossip: port,
    };
    const { stdout, stderr } = await owner.sandbox.run(
      process.execPath,
      ["--input-type=module", "-e", probe, JSON.stringify(ports)],
      { uid },
    );
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      metrics: "401 404 401",
      api: "401 404 401",
      live: "401 404 401",
      owner: "nothing",
      gossip: "nothing",
    });
  });
});

/** What a stranger gets for a page, for a command, and with a wrong token. */
const probe = `
const answers = {};
for (const [name, port] of Object.entries(JSON.parse(process.argv[1]))) {
  const ask = async (path, options) => {
    const answer = await fetch("http://127.0.0.1:" + port + path, {
      ...options, signal: AbortSignal.timeout(5000) });
    await answer.text();
    return answer.status;
  };
  const paths = { metrics: "/metrics", api: "/api/status", live: "/api/events?topic=status" };
  const path = paths[name] ?? "/";
  const wrong = { headers: { authorization: "Bearer 0000" } };
  try {
    const statuses = [await ask(path), await ask(path, { method: "POST" }), await ask(path, wrong)];
    answers[name] = statuses.join(" ");
  } catch {
    answers[name] = "nothing";
  }
}
process.stdout.write(JSON.stringify(answers));
`;
