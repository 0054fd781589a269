// needs: postgres
import { needs } from "../../../../test/support/services.ts";
import { parseReplay } from "../../testing/model-comparison.ts";
import { postgresComparison } from "./testing/postgres-comparison.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

needs(["postgres"], ({ postgres }) => {
  postgresComparison({
    name: "postgres",
    url: postgres.url,
    lazy: ["add", "claim", "finish"],
    timeLimitMs: isLong ? 600_000 : 15_000,
    replay: parseReplay(process.env["FORAGER_TEST_REPLAY"]),
  });
});
