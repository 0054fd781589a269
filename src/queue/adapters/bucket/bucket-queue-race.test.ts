// inputs: src/queue/** src/bucket/** src/base/**
// long: chaos
import { join } from "node:path";
import { raceSuite } from "../../testing/race.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

raceSuite({
  name: "a bucket in a directory",
  store: (folder) => ({
    module: new URL("testing/open-race-store.ts", import.meta.url).href,
    open: "openRaceStore",
    options: { root: join(folder, "bucket") },
  }),
  processes: 4,
  chaosMs: isLong ? 120_000 : 14_000,
  tasks: isLong ? 2_000 : 60,
});
