// needs: postgres15
// long: postgres15
import { needs } from "../../../../test/support/services.ts";
import { parseReplay } from "../../testing/model-comparison.ts";
import { postgresComparison } from "./testing/postgres-comparison.ts";
import { postgresSuite } from "./testing/postgres-suite.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["postgres15"], ({ postgres15 }) => {
  postgresSuite({ name: "postgres 15", url: postgres15.url });
  // The histories are made up for version 18, of the same statements; here a few are tried.
  postgresComparison({
    name: "postgres 15",
    url: postgres15.url,
    runsMin: 10,
    timeLimitMs: isLong ? 300_000 : 5_000,
    replay: parseReplay(process.env["FORAGER_TEST_REPLAY"]),
  });
});
