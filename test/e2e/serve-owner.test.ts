// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { ownerPid, startNodeWriter } from "../support/node-writers.ts";
import { until } from "../support/until.ts";

test("serve works on after kill -9 of the process that owned the data folder, and with its sessions", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const env = { FORAGER_GOSSIP_ON: "no", FORAGER_DATA: join(sandbox.folder, "data") };
  const start = (...args: string[]) => {
    const ended = sandbox.forager(args, {
      env,
      onStart: (kill) =>
        onTestFinished(async () => {
          kill("SIGKILL");
          await ended;
        }),
    });
  };
  const run = (...args: string[]) => sandbox.forager(args, { env });
  const data = join(sandbox.folder, "data");
  const owner = await startNodeWriter({ folder: data, name: "owner", fields: 1 });
  await owner.done;
  const first = ownerPid(data);
  expect(first).toBe(owner.child.pid);
  start("serve", "--listen", "127.0.0.1:0");
  const isUp = async () => (await run("api", "GET", "/api/session")).exitCode === 0;
  await until(isUp, "the server");
  const link = (await run("dashboard")).stdout.match(/http:\S+/)?.[0] ?? "";
  const opened = await fetch(link, { redirect: "manual" });
  const headers = { cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" };
  const session = () => fetch(new URL("/api/session", link), { headers });
  expect((await session()).status).toBe(200);
  const add = (name: string) =>
    run("api", "POST", "/api/companies", "--body", JSON.stringify({ name, fields: {} }));
  expect((await add("Acme")).exitCode).toBe(0);
  expect(ownerPid(data)).toBe(first);
  await owner.kill();
  let last = "";
  await until(
    async () => {
      const { exitCode, stderr } = await add("Bolt");
      last = stderr;
      return exitCode === 0;
    },
    () => `a write after the owner was killed: ${last}`,
  );
  expect(ownerPid(data)).not.toBe(first);
  expect((await session()).status).toBe(200);
  const { stdout } = await run("api", "GET", "/api/companies");
  expect(stdout).toContain("Acme");
  expect(stdout).toContain("Bolt");
});
