// needs: pgbouncer
// long: pooler
import { needs } from "../../../../test/support/services.ts";
import { parseReplay } from "../../testing/model-comparison.ts";
import { postgresComparison } from "./testing/postgres-comparison.ts";
import { postgresSuite } from "./testing/postgres-suite.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["pgbouncer"], ({ pgbouncer }) => {
  const name = "postgres by way of pgbouncer";
  postgresSuite({ name, ...pgbouncer });
  // The suite is the proof; random histories take more time than npm test has for them.
  const replay = parseReplay(process.env["FORAGER_TEST_REPLAY"]);
  if (isLong) postgresComparison({ name, ...pgbouncer, timeLimitMs: 300_000, replay });
});
