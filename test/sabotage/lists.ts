import { bucketQueueSabotages } from "./bucket-queue.ts";
import { bucketSabotages } from "./bucket.ts";
import { gossipSabotages } from "./gossip.ts";
import { exchangeSabotages } from "./exchange.ts";
import { ledgerSabotages } from "./ledger.ts";
import { loadtestSabotages } from "./loadtest.ts";
import { nodeSabotages } from "./node.ts";
import { postgresSabotages } from "./postgres.ts";
import { queueSabotages } from "./queue.ts";
import { recordsSabotages } from "./records.ts";
import { workerSabotages } from "./worker.ts";
import type { Sabotage } from "./sabotage.ts";

export interface SabotageList {
  /** For people. */
  readonly name: string;
  /** The folder of src whose `testing` has the suites that may catch them. */
  readonly part: string;
  readonly sabotages: readonly Sabotage[];
  readonly countMin: number;
  /** Variables that tell where the servers are that they need. */
  readonly services?: readonly string[];
}

/** By the word that `run.ts` takes. */
export const sabotageLists: Readonly<Record<string, SabotageList>> = {
  queue: { name: "queue", part: "queue", sabotages: queueSabotages, countMin: 15 },
  bucket: { name: "bucket", part: "bucket", sabotages: bucketSabotages, countMin: 8 },
  "bucket-queue": {
    name: "queue on a bucket",
    part: "queue",
    sabotages: bucketQueueSabotages,
    countMin: 12,
  },
  postgres: {
    name: "queue on PostgreSQL",
    part: "queue",
    sabotages: postgresSabotages,
    countMin: 20,
    services: ["FORAGER_TEST_POSTGRES_URL", "FORAGER_TEST_PGBOUNCER_URL"],
  },
  worker: { name: "worker", part: "worker", sabotages: workerSabotages, countMin: 20 },
  loadtest: { name: "load test", part: "queue", sabotages: loadtestSabotages, countMin: 5 },
  ledger: { name: "ledger", part: "ledger", sabotages: ledgerSabotages, countMin: 10 },
  gossip: { name: "gossip", part: "gossip", sabotages: gossipSabotages, countMin: 15 },
  exchange: {
    name: "exchange between nodes",
    part: "ledger",
    sabotages: exchangeSabotages,
    countMin: 12,
  },
  node: { name: "processes of a node", part: "node", sabotages: nodeSabotages, countMin: 8 },
  records: { name: "records", part: "records", sabotages: recordsSabotages, countMin: 20 },
};
