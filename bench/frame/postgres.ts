import pg from "pg";
import { createServiceStarter } from "../../scripts/services/start-services.ts";
import { AppError } from "../../src/base/app-error.ts";
import type { SideRun } from "./interleave.ts";

export interface BenchServer {
  readonly url: string;
  /** The same run, on a server that has nothing left of those before it to clean up. */
  readonly fresh: (run: SideRun) => SideRun;
}

/**
 * Runs `work` with a PostgreSQL server of its own, as the tests have it; one that
 * FORAGER_TEST_POSTGRES_URL names is used as it is.
 */
export async function withPostgres<T>(
  log: (line: string) => void,
  work: (server: BenchServer) => Promise<T>,
): Promise<T> {
  const starter = createServiceStarter(log);
  try {
    const { env, missing, failed } = await starter.start(["postgres"]);
    const url = env["FORAGER_TEST_POSTGRES_URL"];
    if (url)
      return await work({ url, fresh: (run) => async (repetition) => clean(url, run, repetition) });
    const why = [...missing, ...failed].map(({ text }) => text).join("; ");
    throw new AppError("unavailable", "bench_postgres_missing", `no PostgreSQL to measure: ${why}`);
  } finally {
    await starter.stop();
  }
}

/** What sides call their schemas, after the scratch folder of their run. */
export const schemaPrefix = "forager_bench_";

async function clean(url: string, run: SideRun, repetition: number): ReturnType<SideRun> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select nspname as name from pg_namespace where starts_with(nspname, $1)",
    [schemaPrefix],
  );
  for (const { name } of rows) {
    await client.query(`drop schema ${pg.escapeIdentifier(name)} cascade`);
  }
  // The pages that the last run wrote are not this one's work.
  await client.query("checkpoint");
  await client.end();
  return run(repetition);
}
