/**
 * Breaks the code in every listed way, one at a time, in a copy, and sees whether the named test
 * fails:
 *
 *     node --import tsx test/sabotage/run.ts LIST [part of a name]
 *
 * What needs a server finds it in the environment: `npm run services` prints it.
 */
import { bucketQueueSabotages } from "./bucket-queue.ts";
import { bucketSabotages } from "./bucket.ts";
import { campaignSabotages } from "./campaign.ts";
import { crawlSabotages } from "./crawl.ts";
import { enrichSabotages } from "./enrich.ts";
import { ledgerSabotages } from "./ledger.ts";
import { postgresSabotages } from "./postgres.ts";
import { queueSabotages } from "./queue.ts";
import { recordsIndexSabotages } from "./records-index.ts";
import { siteCrawlSabotages } from "./site-crawl.ts";
import { workerSabotages } from "./worker.ts";
import type { Sabotage } from "./sabotage.ts";
import { openWorkshop } from "./workshop.ts";

const lists: Readonly<Record<string, readonly Sabotage[]>> = {
  queue: queueSabotages,
  bucket: bucketSabotages,
  postgres: postgresSabotages,
  "bucket-queue": bucketQueueSabotages,
  worker: workerSabotages,
  ledger: ledgerSabotages,
  campaign: campaignSabotages,
  crawl: crawlSabotages,
  "site-crawl": siteCrawlSabotages,
  enrich: enrichSabotages,
  "records-index": recordsIndexSabotages,
};

const [listName = "", part = ""] = process.argv.slice(2);
const list = lists[listName];
if (!list) throw new Error(`which list? one of: ${Object.keys(lists).join(", ")}`);
const chosen = list.filter(({ name }) => name.includes(part));

using workshop = openWorkshop();
const wrong = await workshop.baseline(chosen);
for (const line of wrong) console.log(line);

let missed = wrong.length;
for (const sabotage of wrong.length > 0 ? [] : chosen) {
  const startMs = performance.now();
  const verdict = await workshop.judge(sabotage);
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1).padStart(5);
  if (verdict !== "caught") missed += 1;
  console.log(`${verdict}  ${seconds} s  ${sabotage.name}  ←  ${sabotage.caughtBy}`);
}
console.log(`${chosen.length - missed} caught, ${missed} missed`);
process.exitCode = missed > 0 || chosen.length === 0 ? 1 : 0;
