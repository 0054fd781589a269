// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { runUp } from "../support/run-up.ts";
import { until } from "../support/until.ts";

/** Where SLOW is set, a task goes on until it is given up. */
const handlers = `
import { appendFileSync } from "node:fs";
export const step = {
  kind: "step",
  async run({ task, signal }) {
    appendFileSync("../log", \`\${process.env.SLOW ? "slow" : "quick"} \${task.key}\\n\`);
    if (process.env.SLOW) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  },
};
`;

test("B25: a machine that is taken away gives its work back, and another node does it at once", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const at = (path: string) => join(sandbox.folder, path);
  let isDue = false;
  let reportedAt = 0;
  const metadata = createServer((request, response) => {
    if (request.url === "/latest/api/token") return response.end("t");
    if (!isDue) return response.writeHead(404).end();
    reportedAt ||= performance.now();
    const time = new Date(Date.now() + 120_000).toISOString();
    return response.end(JSON.stringify({ action: "terminate", time }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void metadata.close());
  await once(metadata, "listening");
  writeFileSync(at("log"), "");
  const log = () => readFileSync(at("log"), "utf8").trim().split("\n");
  const startNode = async (name: string, env: Readonly<Record<string, string>>) => {
    mkdirSync(at(name));
    writeFileSync(at(`${name}/handlers.mjs`), handlers);
    const args = ["--json", "--data", "data", "--handlers", "handlers.mjs", "--concurrency", "4"];
    return await runUp({ folder: at(name) }, args, {
      FORAGER_QUEUE_URL: `sqlite:${at("queue.db")}`,
      FORAGER_QUEUE_LEASE_MS: "600000",
      FORAGER_WORK_GRACE_MS: "1000",
      FORAGER_GOSSIP_ON: "no",
      ...env,
    });
  };
  const queue = async (words: readonly string[]) => {
    const ran = await sandbox.forager(["queue", ...words, "--queue", `sqlite:${at("queue.db")}`]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    return ran.stdout;
  };

  const { port } = metadata.address() as AddressInfo;
  const spot = await startNode("spot", {
    SLOW: "1",
    FORAGER_BUCKET_URL: `dir:${at("bucket")}`,
    FORAGER_WORK_INTERRUPTION: "aws",
    FORAGER_WORK_METADATA_URL: `http://127.0.0.1:${port}`,
  });
  await until(
    () => spot.part("workers")?.state === "running",
    () => spot.stderr(),
  );
  for (const key of ["a", "b", "c", "d"]) await queue(["add", "step", "{}", "--key", key]);
  await until(
    () => log().length === 4,
    () => spot.stderr(),
  );
  const other = await startNode("other", {});
  await until(
    () => other.part("workers")?.state === "running",
    () => other.stderr(),
  );

  isDue = true;
  await until(
    () => log().filter((line) => line.startsWith("quick")).length === 4,
    () => `${spot.stderr()}\n${other.stderr()}`,
  );
  const seconds = (performance.now() - reportedAt) / 1_000;
  process.stderr.write(`taken over ${seconds.toFixed(1)} s after the notice\n`);
  expect(seconds).toBeLessThan(5); // one of them is the grace of the tasks
  // Their leases last ten minutes: they did not just run out.
  expect(log().toSorted()).toEqual(
    ["quick", "slow"].flatMap((how) => ["a", "b", "c", "d"].map((key) => `${how} ${key}`)),
  );
  await until(
    () => spot.part("workers")?.state === "waiting",
    () => spot.stderr(),
  );
  expect(spot.part("workers")?.text).toContain("this machine is taken away (terminate)");
  // What is written until the machine ends is in the bucket.
  const added = await sandbox.forager(["company", "add", "Acme Late", "--data", at("spot/data")]);
  expect(added.exitCode, added.stderr).toBe(0);
  const sent = () => {
    if (!existsSync(at("bucket/ledger/wal"))) return false;
    const segments = readdirSync(at("bucket/ledger/wal"), { recursive: true, withFileTypes: true });
    return segments
      .filter((entry) => entry.isFile())
      .some(({ parentPath, name }) =>
        readFileSync(join(parentPath, name), "utf8").includes("Acme Late"),
      );
  };
  await until(sent, () => spot.stderr());
  spot.kill("SIGKILL");
  const isDone = async () => {
    const { states } = JSON.parse(await queue(["stats", "--json"])) as {
      readonly states: Readonly<Record<string, number>>;
    };
    return states["done"] === 4 && states["running"] === 0;
  };
  await until(isDone, "all are done");
  const { tasks } = JSON.parse(await queue(["list", "--state", "done", "--json"])) as {
    readonly tasks: readonly { readonly used: number }[];
  };
  // An attempt that the machine cut off is not the task's fault.
  expect(tasks.map(({ used }) => used)).toEqual([1, 1, 1, 1]);
  other.kill("SIGTERM");
  expect(await other.ended).toBe(0);
});
