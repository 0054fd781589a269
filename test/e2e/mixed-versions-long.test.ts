// long: upgrade
// needs: postgres s3
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createBucket } from "../../src/app/index.ts";
import { createId } from "../../src/base/ids.ts";
import { systemRandom } from "../../src/base/random.ts";
import { builtCli, createSandbox, type RunResult, type Sandbox } from "../support/built-cli.ts";
import { buildEarlierVersion } from "../support/earlier-version.ts";
import { needs } from "../support/services.ts";
import { until } from "../support/until.ts";

const timeout = 1_800_000;
const loadMs = 60_000;
const perRound = 40;

/** One of two programs of different versions, with a data folder of its own. */
interface Member {
  readonly name: "earlier" | "current";
  readonly folder: string;
  readonly forager: (...args: string[]) => Promise<RunResult>;
  /** What it prints; fails unless the exit code is 0. */
  readonly good: (...args: string[]) => Promise<string>;
  readonly work: () => ChildProcess;
}

interface Addresses {
  readonly queue: string;
  readonly bucket: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function createMembers(sandbox: Sandbox, { queue, bucket, env = {} }: Addresses) {
  const log = join(sandbox.folder, "log");
  writeFileSync(log, "");
  const mains = { earlier: buildEarlierVersion(), current: await builtCli() };
  const members = (["earlier", "current"] as const).map((name): Member => {
    const folder = join(sandbox.folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "forager.toml"), `data = "data"\ngossip.on = "no"\n`);
    writeFileSync(
      join(folder, "handlers.mjs"),
      `import { appendFileSync } from "node:fs";
export const nap = {
  kind: "nap",
  timeoutMs: 60_000,
  async run({ task }) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    appendFileSync(${JSON.stringify(log)}, "${name} " + task.key + "\\n");
    return { kind: "done" };
  },
};
`,
    );
    // Addresses may have a password, which a settings file must not have.
    const own = { ...env, HOME: folder, FORAGER_QUEUE_URL: queue, FORAGER_BUCKET_URL: bucket };
    const forager = (...args: string[]) =>
      sandbox.run("env", ["-C", folder, process.execPath, mains[name], ...args], { env: own });
    return {
      name,
      folder,
      forager,
      async good(...args) {
        const { exitCode, stdout, stderr } = await forager(...args);
        if (exitCode !== 0) throw new Error(`${name}: ${args.join(" ")}: ${stderr}`);
        return stdout;
      },
      work() {
        const args = [mains[name], "work", "--handlers", "handlers.mjs"];
        const child = spawn(process.execPath, args, {
          cwd: folder,
          env: { ...process.env, ...own },
          stdio: "ignore",
        });
        onTestFinished(() => void child.kill("SIGKILL"));
        return child;
      },
    };
  });
  const done = () =>
    readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ") as [string, string]);
  return { members, done };
}

type Listed = readonly unknown[] | { readonly rows: readonly unknown[] };

/** Both versions add and do tasks, and write facts, for a minute. Nothing is lost or done twice. */
async function runMixedFleet(addresses: (folder: string) => Promise<Addresses>): Promise<void> {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const { members, done } = await createMembers(sandbox, await addresses(sandbox.folder));
  const added: string[] = [];
  const add = async ({ name, folder, good }: Member, round: number) => {
    const keys = Array.from({ length: perRound }, (_, at) => `${name}-${round}-${at}`);
    const lines = keys.map((key) => JSON.stringify({ kind: "nap", key }));
    writeFileSync(join(folder, "tasks.jsonl"), `${lines.join("\n")}\n`);
    await good("queue", "import", "tasks.jsonl");
    added.push(...keys);
  };
  for (const member of members) await add(member, 0);
  const working = members.map((member) => member.work());
  const endMs = Date.now() + loadMs;
  let round = 1;
  for (; Date.now() < endMs; round++) {
    for (const member of members) {
      await add(member, round);
      await member.good("company", "add", `${member.name} ${round}`);
    }
  }
  await until(() => new Set(done().map(([, key]) => key)).size === added.length, "all are done");
  const [, current] = members as [Member, Member];
  await until(async () => {
    const { exitCode, stderr } = await current.forager("fleet", "finish-upgrade");
    return exitCode === 1 && /1 node on a version before .*\(0\.1\.0\)/.test(stderr);
  }, "the upgrade cannot be finished while a node of the earlier version runs");
  for (const child of working) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  const keys = done().map(([, key]) => key);
  expect(keys.toSorted()).toEqual(added.toSorted());
  // Each does what the other one has added.
  for (const [by, from] of [members, members.toReversed()] as [Member, Member][]) {
    await add(from, round);
    await by.good("work", "--handlers", "handlers.mjs", "--drain");
    const alone = done().filter(([who, key]) => who === by.name && key.startsWith(`${from.name}-${round}-`)); // prettier-ignore
    expect(alone).toHaveLength(perRound);
  }
  await checkEnd(members as [Member, Member]);
  for (const { good } of members) await good("ledger", "sync");
  for (const { good } of members) {
    await good("ledger", "sync");
    const listed = JSON.parse(await good("company", "list", "--limit", "1000", "--json")) as Listed;
    const companies = "rows" in listed ? listed.rows : listed; // as the version prints lists
    expect(companies).toHaveLength(2 * (round - 1));
  }
}

/** Finished tasks stay where the earlier version reads them, until the upgrade is finished. */
async function checkEnd([earlier, current]: readonly [Member, Member]): Promise<void> {
  expect(await earlier.good("queue", "stats")).toContain("done");
  const finished = await current.forager("fleet", "finish-upgrade", "--json");
  expect(finished, finished.stderr).toMatchObject({ exitCode: 0 });
  const { before, after } = JSON.parse(finished.stdout) as Record<string, Record<string, number>>;
  expect(before!["readableBy"]).toBeLessThan(before!["format"]!);
  expect(after!["readableBy"]).toBe(after!["format"]);
  await current.good("queue", "purge", "--state", "done", "--yes");
  const refused = await earlier.forager("queue", "add", "nap");
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toMatch(/newer version/);
  await current.good("queue", "add", "nap");
}

test("E11: on a folder two versions work together for a minute", { timeout }, () =>
  runMixedFleet(async (folder) => {
    const bucket = join(folder, "bucket");
    mkdirSync(bucket);
    return { queue: `dir:${bucket}`, bucket: `dir:${bucket}` };
  }),
);

test("E11: on a SQLite file two versions work together for a minute", { timeout }, () =>
  runMixedFleet(async (folder) => ({
    queue: `sqlite:${join(folder, "queue.db")}`,
    bucket: `dir:${join(folder, "bucket")}`,
  })),
);

needs(["s3"], ({ s3 }) => {
  test("E11: on S3 two versions work together for a minute", { timeout }, () =>
    runMixedFleet(async () => {
      const name = `mixed-${createId(systemRandom, 8)}`;
      const env = { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey };
      Object.assign(process.env, env);
      const bucket = `s3://${name}/fleet?endpoint=${s3.endpoint}&region=${s3.region}`;
      await createBucket(bucket);
      return { queue: bucket, bucket, env };
    }),
  );
});

needs(["postgres"], ({ postgres }) => {
  test("E11: on PostgreSQL two versions work together for a minute", { timeout }, async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const database = `mixed_${createId(systemRandom, 8)}`;
    await client.query(`create database ${database}`);
    try {
      await runMixedFleet(async (folder) => {
        const queue = new URL(postgres.url);
        queue.pathname = `/${database}`;
        return { queue: queue.href, bucket: `dir:${join(folder, "bucket")}` };
      });
    } finally {
      await client.query(`drop database ${database} with (force)`);
      await client.end();
    }
  });
});
