// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";
import { runUp } from "../support/run-up.ts";
import { until } from "../support/until.ts";

const settings = `
[gossip]
keys = { file = "gossip.key" }
[alert]
webhook = { env = "HOOK" }
secret = { command = "echo Barracuda-of-command" }
[bucket]
url = "dir:bucket"
`;

/** Arguments of all processes below this one, itself included. */
function argumentsBelow(pid: number): string {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const own = readFileSync(`/proc/${pid}/cmdline`, "utf8");
  return [own, ...children.filter(Boolean).map((child) => argumentsBelow(Number(child)))].join(" ");
}

test.runIf(process.platform === "linux")(
  "B27: no secret is in arguments, output, logs, heartbeats or any other file of a node",
  async () => {
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.remove());
    const key = (await sandbox.forager(["node", "key"])).stdout.trim();
    expect(key.length).toBeGreaterThan(20);
    writeFileSync(join(sandbox.folder, "gossip.key"), `${key}\n`, { mode: 0o600 });
    writeFileSync(join(sandbox.folder, "forager.toml"), settings);
    const up = await runUp(sandbox, ["--data", "data", "--verbose", "--json"], {
      FORAGER_GOSSIP_PORT: String(await freeUdpPort()),
      FORAGER_GOSSIP_MDNS: "no",
      FORAGER_BUCKET_PASSWORD: "Barracuda-of-variable",
      HOOK: "http://127.0.0.1:9/Barracuda-of-address",
    });
    await until(
      () => up.part("workers")?.state === "running" && up.part("gossip")?.state === "running",
      () => up.stderr(),
    );
    const heartbeats = () =>
      readdirSync(join(sandbox.folder, "data", "nodes")).filter((name) => name.endsWith(".json"));
    await until(
      () => heartbeats().length > 0,
      () => up.stderr(),
    );
    const secrets = new RegExp(`Barracuda|${key.replaceAll(/[^\w]/g, "\\$&")}`);
    const line = argumentsBelow(up.pid);
    expect(line).toContain("worker-process");
    expect(line).not.toMatch(secrets);
    up.kill("SIGTERM");
    expect(await up.ended).toBe(0);
    expect(up.stdout() + up.stderr()).not.toMatch(secrets);
    const files = readdirSync(join(sandbox.folder, "data"), {
      recursive: true,
      withFileTypes: true,
    });
    const read = files.filter((entry) => entry.isFile());
    expect(read.length).toBeGreaterThan(5);
    const found = read
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => secrets.test(readFileSync(file, "latin1")));
    expect(found).toEqual([]);
  },
);
