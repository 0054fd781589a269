/**
 * graphile-worker 0.18 as its author runs it for speed: a local queue of 500, completions joined.
 * It deletes what is done, and without a job key it checks none, so it does less than ours.
 */
import { strictEqual } from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { Logger, makeWorkerUtils, run as runWorker } from "graphile-worker";
import type { Side, SideContext } from "../frame/side.ts";
import { countRows, schemaOf, urlBatches } from "./peer-schema.ts";
import type { PostgresPeerInput } from "./peer-schema.ts";

const identifier = "noop";
const logger = new Logger(() => (level, message) => {
  if (level === "error") process.stderr.write(`graphile-worker: ${message}\n`);
});

/** Measures adding `jobs` jobs with a URL each. */
export const enqueue: Side<PostgresPeerInput> = async (input, context) => {
  const utils = await openUtils(input, context);
  const batches = specBatches(input);
  return {
    async run() {
      for (const batch of batches) await utils.addJobs(batch);
    },
    async check() {
      strictEqual(await countJobs(input, context), input.jobs, "jobs stored");
      await utils.release();
    },
  };
};

/** Measures from the start of the worker until every job is gone from the table. */
export const drain: Side<PostgresPeerInput> = async (input, context) => {
  const utils = await openUtils(input, context);
  for (const batch of specBatches(input)) await utils.addJobs(batch);
  let handled = 0;
  let rouse = () => {};
  const handler = async () => {
    if (++handled === input.jobs) rouse();
  };
  let worker: Awaited<ReturnType<typeof runWorker>>;
  return {
    async run() {
      const allHandled = new Promise<void>((resolve) => (rouse = resolve));
      worker = await runWorker({
        ...common(input, context),
        noHandleSignals: true,
        taskList: { [identifier]: handler },
      });
      await allHandled;
      while ((await countJobs(input, context)) > 0) await wait(2);
    },
    async check() {
      strictEqual(handled, input.jobs, "calls of the handler");
      await worker.stop();
      await utils.release();
    },
  };
};

const common = ({ url }: PostgresPeerInput, context: SideContext) => ({
  connectionString: url,
  logger,
  preset: {
    worker: {
      schema: schemaOf(context),
      concurrentJobs: 24,
      pollInterval: 2000,
      maxPoolSize: 10,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
});

async function openUtils(input: PostgresPeerInput, context: SideContext) {
  const utils = await makeWorkerUtils(common(input, context));
  await utils.migrate();
  return utils;
}

const countJobs = ({ url }: PostgresPeerInput, context: SideContext) =>
  countRows(url, `from ${schemaOf(context)}._private_jobs`);

const specBatches = (input: PostgresPeerInput) =>
  urlBatches(input).map((batch) => batch.map((payload) => ({ identifier, payload })));
