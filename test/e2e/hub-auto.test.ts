// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";
import { runUp } from "../support/run-up.ts";

async function setUp() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const env = async (data: string, more: Readonly<Record<string, string>> = {}) => ({
    FORAGER_DATA: data,
    FORAGER_BUCKET_URL: `dir:${sandbox.folder}/fleet`,
    FORAGER_GOSSIP_PORT: String(await freeUdpPort()),
    ...more,
  });
  const checkpoint = (number: number) =>
    join(sandbox.folder, `fleet/ledger/checkpoint/${String(number).padStart(12, "0")}.json`);
  return { sandbox, env, checkpoint };
}

test("a fleet with a bucket gets its checkpoints without anybody starting a hub", async () => {
  const { sandbox, env, checkpoint } = await setUp();
  const settings = await env("a");
  const run = (line: string) => sandbox.forager(line.split(" "), { env: settings });
  expect(await run("ledger set company/1 phone=+4989")).toMatchObject({ exitCode: 0 });
  const ups = [
    await runUp(sandbox, ["--no-workers"], settings),
    await runUp(sandbox, ["--no-workers"], await env("b")),
  ];
  await expect.poll(() => existsSync(checkpoint(1))).toBe(true);
  const released = async () => (await run("hub status")).stdout.includes(", released,");
  await expect.poll(released).toBe(true);
  type Reported = { hub: object; hubGap: object | null; checkpoint: { number: number } };
  const reported = JSON.parse((await run("status --cluster --json")).stdout) as Reported;
  expect(reported).toMatchObject({
    hubGap: null,
    checkpoint: { number: 1 },
    hub: { state: "released" },
  });
  for (const up of ups) up.kill("SIGTERM");
  expect(await Promise.all(ups.map((up) => up.ended))).toEqual([0, 0]);
});

test("if no node of the fleet may be the hub, status says so and which setting it is", async () => {
  const { sandbox, env } = await setUp();
  const settings = await env("a", { FORAGER_LEDGER_HUB: "never" });
  const up = await runUp(sandbox, ["--no-workers"], settings);
  const status = () => sandbox.forager(["status", "--cluster"], { env: settings });
  await expect
    .poll(async () => (await status()).stdout)
    .toMatch(/no node can be the hub: .*its ledger\.hub is set to never/);
  expect((await status()).exitCode).toBe(3);
  up.kill("SIGTERM");
  expect(await up.ended).toBe(0);
});
