// needs: postgres s3
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { createTestSchema } from "../../src/queue/adapters/postgres/testing/test-schema.ts";
import { createSandbox } from "../support/built-cli.ts";
import { isAboutTime, runLoadtest } from "../support/run-loadtest.ts";
import { needs } from "../support/services.ts";

interface Place {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function passes(
  context: TestContext,
  scheme: string,
  { args = [], env = {} }: Place,
): Promise<void> {
  const sandbox = await createSandbox();
  context.onTestFinished(() => sandbox.remove());
  const { result, exitCode, stderr } = await runLoadtest((words) =>
    sandbox.forager([...words, ...args], { env }),
  );
  const kept = result.checks.filter(({ name }) => !isAboutTime.test(name));
  expect(kept.length).toBeGreaterThan(10);
  expect(
    kept.filter(({ isGood }) => !isGood),
    stderr,
  ).toEqual([]);
  // All marks of the mission are looked at, also those that only a quiet machine can meet.
  expect(result.checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["recovery after arrivals", "processor free", "memory afterwards"]),
  );
  expect(exitCode).toBe(result.isGood ? 0 : 1);
  expect(result.kills).toBe(4);
  expect(result.stops).toBeGreaterThanOrEqual(2); // one that came to nothing is repeated
  expect(result.answers["error"]! + result.answers["refused"]!).toBeGreaterThan(0);
  expect(result.last).toBe(null);
  const names = readdirSync(join(sandbox.folder, "data/loadtests"));
  expect(names).toEqual([`baseline-600-${scheme}.json`]);
}

const title = (backend: string) =>
  `D12: nothing lost, nothing twice, gates and caps kept, though workers are killed and stopped: ${backend}`;

needs(["postgres", "s3"], ({ postgres, s3 }) => {
  test.concurrent(title("PostgreSQL"), async (context) => {
    await using schema = await createTestSchema(postgres.url);
    const address = `${postgres.url}?schema=${encodeURIComponent(schema.name)}`;
    await passes(context, "postgres", { args: ["--queue", address] });
  });

  test.concurrent(title("bucket"), async (context) => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    const { bucket, endpoint, region, credentials } = place;
    const settings = new URLSearchParams({ endpoint: endpoint!, region: region! });
    const env = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    const address = `s3://${bucket}/load?${settings.toString()}`;
    await passes(context, "s3", { args: ["--queue", address], env });
  });
});

test("a queue that is in use is refused, and left as it is", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const queue = ["--queue", "sqlite:q.db", "--data", "data"];
  await sandbox.forager(["queue", "add", "a", ...queue]);
  const { exitCode, stderr } = await sandbox.forager(["loadtest", ...queue]);
  expect(stderr).toContain("the queue holds 1 tasks: a load test needs an empty one of its own");
  expect(exitCode).toBe(1);
  const { stdout } = await sandbox.forager(["queue", "list", "--json", ...queue]);
  expect(JSON.parse(stdout)).toMatchObject({ tasks: [{ kind: "a", state: "pending" }] });
});
