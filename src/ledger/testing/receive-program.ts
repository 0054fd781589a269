/**
 * Takes what another node writes into the ledger of a folder until it is killed, and says on stdout
 * what was acknowledged: `origin number`, one line each. The data folder is the first argument.
 */
import { openTestLedger } from "./test-ledger.ts";
import { openTestSharedLedger } from "./test-shared-ledger.ts";
import { systemRandom } from "../../base/random.ts";

const ledger = await openTestSharedLedger(process.argv[2] ?? "");
const author = await openTestLedger({ random: systemRandom });
const received = new Set<Promise<void>>();
author.exchange.follow((range) => {
  const number = range.from + range.records.length - 1;
  const mine = ledger.exchange.receive(range).then(() => {
    process.stdout.write(`${range.origin} ${number}\n`);
    received.delete(mine);
  });
  received.add(mine);
});
for (let index = 0; ; index++) {
  const target = `company/${index % 50}`;
  const changes = ["a", "b", "c"].map((field) => ({ target, field, value: `${index} ü` }));
  await author.write({ source: "site:https://a.b", changes });
  if (received.size > 20) await Promise.race(received);
}
