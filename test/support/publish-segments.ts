/**
 * A process that writes so many commits of three fields into the ledger of a folder, all in one
 * session, and publishes each as a segment. Arguments: data folder, address of the bucket, count.
 */
import { openBucket, openLedgerFolder } from "../../src/app/ledger.ts";

const [folder = "", address = "", count = "0"] = process.argv.slice(2);
await using ledger = await openLedgerFolder({ folder });
await using bucket = await openBucket(address);
const sync = ledger.withBucket(bucket);
for (let number = 1; number <= Number(count); number++) {
  const target = `company/${number}`;
  const changes = ["a", "b", "c"].map((field) => ({ target, field, value: `${number} ${field}` }));
  await ledger.write({ source: "site:https://a.b", changes });
  await sync.sync();
}
