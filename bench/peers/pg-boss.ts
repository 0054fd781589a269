/**
 * pg-boss 12.35 at its best: four loops that fetch 500 and complete them, in a table of their own.
 * Its upkeep is switched off. It has no key that makes a job unique here, so it does less than ours.
 */
import { strictEqual } from "node:assert/strict";
import { PgBoss } from "pg-boss";
import type { Side, SideContext } from "../frame/side.ts";
import { countRows, schemaOf, urlBatches } from "./peer-schema.ts";
import type { PostgresPeerInput } from "./peer-schema.ts";

const name = "noop";
const loops = 4;
const batchSize = 500;

/** Measures adding `jobs` jobs with a URL each. */
export const enqueue: Side<PostgresPeerInput> = async (input, context) => {
  const boss = await open(input, context);
  const batches = jobBatches(input);
  return {
    async run() {
      for (const batch of batches) await boss.insert(name, batch);
    },
    check: () => close(boss, input, context, "created"),
  };
};

/** Measures from the first fetch until every job is stored as completed. */
export const drain: Side<PostgresPeerInput> = async (input, context) => {
  const boss = await open(input, context);
  for (const batch of jobBatches(input)) await boss.insert(name, batch);
  let completed = 0;
  async function loop(): Promise<void> {
    for (;;) {
      const jobs = await boss.fetch(name, { batchSize });
      if (jobs.length === 0) return;
      const { affected } = await boss.complete(
        name,
        jobs.map(({ id }) => id),
      );
      completed += affected;
    }
  }
  return {
    async run() {
      await Promise.all(Array.from({ length: loops }, loop));
    },
    async check() {
      strictEqual(completed, input.jobs, "jobs completed");
      await close(boss, input, context, "completed");
    },
  };
};

async function open({ url }: PostgresPeerInput, context: SideContext): Promise<PgBoss> {
  const schema = schemaOf(context);
  const boss = new PgBoss({ connectionString: url, schema, supervise: false, schedule: false });
  boss.on("error", (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(name, { partition: true });
  return boss;
}

async function close(
  boss: PgBoss,
  { url, jobs }: PostgresPeerInput,
  context: SideContext,
  state: "created" | "completed",
): Promise<void> {
  const schema = schemaOf(context);
  strictEqual(
    await countRows(url, `from ${schema}.job where name = '${name}' and state = '${state}'`),
    jobs,
    `jobs stored as ${state}`,
  );
  await boss.stop({ graceful: false });
}

const jobBatches = (input: PostgresPeerInput) =>
  urlBatches(input).map((batch) => batch.map((data) => ({ data })));
