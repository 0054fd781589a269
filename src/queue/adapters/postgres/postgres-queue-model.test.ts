// needs: postgres
// long: chaos
import { needs } from "../../../../test/support/services.ts";
import { parseReplay } from "../../testing/model-comparison.ts";
import { postgresComparison } from "./testing/postgres-comparison.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["postgres"], ({ postgres }) => {
  const replay = parseReplay(process.env["FORAGER_TEST_REPLAY"]);
  postgresComparison({
    name: "postgres",
    url: postgres.url,
    store: { lazy: ["add", "claim", "finish"] },
    runsMin: 25,
    timeLimitMs: isLong ? 600_000 : 10_000,
    replay,
  });
  postgresComparison({
    name: "postgres",
    url: postgres.url,
    histories: "plain",
    // A session that is new makes the next claim look closer: there are soon no more new ones.
    store: { connectionsMax: 3 },
    runsMin: 25,
    timeLimitMs: isLong ? 300_000 : 10_000,
    replay,
  });
});
