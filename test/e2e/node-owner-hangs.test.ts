// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { allowingForLoad } from "../../src/base/testing/busy-machine.ts";
import { expectWrittenOnce, ownerPid, startNodeWriter } from "../support/node-writers.ts";

let sandbox: Sandbox;
let folder = "";
beforeEach(async () => {
  sandbox = await createSandbox();
  folder = join(sandbox.folder, "data");
});
afterEach(() => sandbox.remove());

const endless = 10_000_000;

test("an owner that is stopped: clients say so after 30 s, nobody takes over, and all requests are answered when it continues", async () => {
  const forager = (...args: readonly string[]) => sandbox.forager([...args, "--data", "data"]);
  const owner = await startNodeWriter({ folder, name: "owner", fields: 10 });
  await owner.done;
  const client = await startNodeWriter({ folder, name: "client", fields: endless });
  await expect.poll(() => client.acknowledged().length).toBeGreaterThan(100);
  let stop = (_signal: NodeJS.Signals) => {};
  let reported = "";
  const command = `exec "$0" "$FORAGER_TEST_MAIN" work --data data 2>&1`;
  const work = sandbox.run("sh", ["-c", command, process.execPath], {
    onStart: (kill) => (stop = kill),
    onStdout: (text) => (reported = text),
  });
  onTestFinished(async () => {
    stop("SIGKILL");
    await work;
  });
  const states = async () => (await forager("status")).stdout;
  await expect.poll(states).toContain("working");

  const stoppedAtMs = performance.now();
  owner.child.kill("SIGSTOP");
  const [set, show, isDone] = await Promise.all([
    forager("ledger", "set", "company/x", "name=X"),
    forager("ledger", "log", "--limit", "1"),
    client.done,
  ]);
  const tookMs = performance.now() - stoppedAtMs;
  // A new process cannot become the owner; one that only reads reads the files.
  expect(set).toMatchObject({ exitCode: 3, stdout: "" });
  expect(set.stderr).toContain(`its pid may be ${owner.child.pid}`);
  expect(set.stderr).toContain("kill -CONT");
  expect([show.exitCode, show.stdout]).toEqual([0, expect.stringContaining("company/")]);
  expect(isDone).toBe(false);
  expect(client.errors()).toContain("node_owner_silent");
  expect(tookMs).toBeGreaterThan(25_000);
  expect(tookMs).toBeLessThan(allowingForLoad(50_000));
  expect(ownerPid(folder)).toBe(owner.child.pid);
  // The process with the workers has noticed it too, and goes on.
  const silence = "the owner of the data folder does not answer";
  await expect.poll(() => reported).toContain(silence);

  owner.child.kill("SIGCONT");
  expect((await forager("ledger", "set", "company/x", "name=X")).exitCode).toBe(0);
  expect(ownerPid(folder)).toBe(owner.child.pid);
  // The workers of the other process are the node's again.
  await expect.poll(states).toContain("working");
  await expectWrittenOnce(sandbox, folder, [owner, client]);
  stop("SIGTERM");
  expect((await work).exitCode).toBe(0);
});
