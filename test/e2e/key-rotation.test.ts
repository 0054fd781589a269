// needs: s3
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createId } from "../../src/base/ids.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { makeKey } from "../../src/gossip/index.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";
import { runUp } from "../support/run-up.ts";
import { needs } from "../support/services.ts";
import { until } from "../support/until.ts";

const tasks = 120;
const handlers = `
import { appendFileSync } from "node:fs";
export const nap = {
  kind: "nap",
  async run({ task }) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    appendFileSync("log", task.key + "\\n");
  },
};
`;

async function newSandbox(): Promise<Sandbox> {
  const sandbox = await createSandbox({ hasSharedProcess: true });
  onTestFinished(() => sandbox.remove());
  return sandbox;
}

needs(["s3"], ({ s3 }) => {
  test("B27: the key of a bucket is replaced and revoked while tasks run, and none fails", async () => {
    const sandbox = await newSandbox();
    const at = (name: string) => join(sandbox.folder, name);
    const uid = createId(systemRandom);
    const admin = (...words: string[]) => {
      const args = ["-c", s3.admin, ...words, `--uid=${uid}`];
      execFileSync("radosgw-admin", args, { stdio: "ignore" });
    };
    const keys = ["old", "new"].map((name) => ({ id: createId(systemRandom), secret: `of the ${name} key` })); // prettier-ignore
    const [old, fresh] = keys as [(typeof keys)[0], (typeof keys)[0]];
    const given = ({ id, secret }: typeof old) => [`--access-key=${id}`, `--secret=${secret}`];
    admin("user", "create", "--display-name=node", ...given(old));
    const made = await createTestPlace({ ...s3, accessKey: old.id, secretKey: old.secret });
    made.client.destroy();

    const useKey = ({ id, secret }: typeof old) =>
      writeFileSync(at("profile"), `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`); // prettier-ignore
    useKey(old);
    const address = `s3://${made.place.bucket}/q?endpoint=${encodeURIComponent(s3.endpoint)}&region=${s3.region}`;
    const env = {
      AWS_SHARED_CREDENTIALS_FILE: at("profile"),
      AWS_EC2_METADATA_DISABLED: "true",
      FORAGER_QUEUE_URL: address,
      FORAGER_GOSSIP_ON: "no",
    };
    writeFileSync(at("handlers.mjs"), handlers);
    writeFileSync(at("log"), "");
    const lines = Array.from({ length: tasks }, (_, at) => `{"kind":"nap","key":"${at}"}\n`);
    writeFileSync(at("tasks.jsonl"), lines.join(""));
    const forager = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await sandbox.forager(args, { env });
      expect(exitCode, stderr).toBe(0);
      return stdout;
    };
    await forager("queue", "import", "tasks.jsonl");
    const args = ["--json", "--data", "data", "--handlers", "handlers.mjs", "--concurrency", "2"];
    const up = await runUp(sandbox, args, env);
    const done = () => readFileSync(at("log"), "utf8").split("\n").slice(0, -1);
    const doneAre = (count: number) =>
      until(
        () => done().length >= count,
        () => up.stderr(),
      );
    await doneAre(tasks * 0.2);
    admin("key", "create", "--key-type=s3", ...given(fresh));
    useKey(fresh);
    await doneAre(tasks * 0.3);
    admin("key", "rm", "--key-type=s3", `--access-key=${old.id}`);
    const atRevocation = done().length;
    expect(atRevocation).toBeLessThan(tasks * 0.9);
    await doneAre(tasks);
    const isDone = async () => {
      const text = await forager("queue", "stats", "--json");
      const { states } = JSON.parse(text) as { readonly states: Readonly<Record<string, number>> };
      return states["done"] === tasks && states["failed"] === 0;
    };
    await until(isDone, () => up.stderr());
    expect(done().toSorted(), up.stderr()).toEqual([...new Set(done())].toSorted());
    const { tasks: rows } = JSON.parse(await forager("queue", "list", "--json", "--limit", String(tasks))) as { readonly tasks: readonly { readonly used: number }[] }; // prettier-ignore
    expect(rows.map(({ used }) => used)).toEqual(Array.from({ length: tasks }, () => 1));
    expect(up.stdout() + up.stderr()).not.toMatch(/of the (?:old|new) key/);
    up.kill("SIGTERM");
    expect(await up.ended).toBe(0);
  });
});

test("B27: the key of gossip is replaced while nodes run, and they never lose contact", async () => {
  const sandbox = await newSandbox();
  const [old, fresh] = [makeKey(systemRandom), makeKey(systemRandom)];
  const names = ["one", "two", "late"];
  const ports = await Promise.all(names.map(() => freeUdpPort()));
  const folder = (name: string) => join(sandbox.folder, name);
  const useKeys = (name: string, ...keys: string[]) =>
    writeFileSync(join(folder(name), "gossip.key"), `${keys.join(",")}\n`, { mode: 0o600 });
  const start = async (name: string, ...keys: string[]) => {
    mkdirSync(folder(name), { recursive: true });
    const toml = `data = "data"\n[gossip]\nkeys = { file = "gossip.key" }\n`;
    writeFileSync(join(folder(name), "forager.toml"), toml);
    useKeys(name, ...keys);
    return await runUp({ folder: folder(name) }, ["--json"], {
      FORAGER_GOSSIP_HOST: "127.0.0.1",
      FORAGER_GOSSIP_MDNS: "no",
      FORAGER_GOSSIP_PORT: String(ports[names.indexOf(name)]),
      FORAGER_GOSSIP_PEERS: ports.map((port) => `127.0.0.1:${port}`).join(","),
    });
  };
  const [one, two] = [await start("one", old), await start("two", old)];
  const forager = async (name: string, ...args: string[]) => {
    const { exitCode, stdout, stderr } = await sandbox.forager([...args, "--data", join(folder(name), "data")]); // prettier-ignore
    expect(exitCode, stderr).toBe(0);
    return stdout;
  };
  let count = 0;
  /** What one writes, the other has. */
  const areInTouch = async () => {
    for (const [from, to] of [
      ["one", "two"],
      ["two", "one"],
    ] as const) {
      // prettier-ignore
      const company = `Acme ${++count}`;
      await forager(from, "company", "add", company);
      await until(
        async () => (await forager(to, "company", "list", "--json")).includes(company),
        () => `${to} has ${company}: ${one.stderr()}${two.stderr()}`,
      );
    }
  };
  await areInTouch();
  for (const keys of [[old, fresh], [fresh, old], [fresh]]) {
    for (const name of ["one", "two"]) {
      useKeys(name, ...keys);
      await areInTouch();
    }
    one.kill("SIGHUP"); // at the latest now
    two.kill("SIGHUP");
    await areInTouch();
  }
  // Whoever has the old key is a stranger now, and whoever has the new one is not.
  const peersOf = async (name: string) => {
    const args = ["--data", join(folder(name), "data"), "status", "--cluster", "--json"];
    const { exitCode, stdout, stderr } = await sandbox.forager(args);
    expect([0, 3], stderr).toContain(exitCode); // 3: a node that was heard of has just not answered
    const { nodes } = JSON.parse(stdout) as { readonly nodes: readonly unknown[] };
    return nodes.length;
  };
  const stranger = await start("late", old);
  await until(() => stranger.part("gossip")?.state === "running", () => stranger.stderr()); // prettier-ignore
  await areInTouch();
  expect(await peersOf("late")).toBe(1);
  useKeys("late", fresh);
  stranger.kill("SIGHUP");
  await until(async () => (await peersOf("late")) === 3, () => stranger.stderr()); // prettier-ignore
  for (const up of [one, two, stranger]) {
    expect(up.stdout() + up.stderr()).not.toContain(old);
    expect(up.stdout() + up.stderr()).not.toContain(fresh);
    up.kill("SIGTERM");
    expect(await up.ended).toBe(0);
  }
});
