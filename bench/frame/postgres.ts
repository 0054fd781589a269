import { createServiceStarter } from "../../scripts/services/start-services.ts";
import { AppError } from "../../src/base/app-error.ts";

/**
 * Runs `work` with a PostgreSQL server of its own, as the tests have it; one that
 * FORAGER_TEST_POSTGRES_URL names is used as it is.
 */
export async function withPostgres<T>(
  log: (line: string) => void,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const starter = createServiceStarter(log);
  try {
    const { env, missing, failed } = await starter.start(["postgres"]);
    const url = env["FORAGER_TEST_POSTGRES_URL"];
    if (url) return await work(url);
    const why = [...missing, ...failed].map(({ text }) => text).join("; ");
    throw new AppError("unavailable", "bench_postgres_missing", `no PostgreSQL to measure: ${why}`);
  } finally {
    await starter.stop();
  }
}
