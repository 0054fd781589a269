/**
 * One of several processes that write to one ledger: so many fields, each a commit of its own, many
 * at a time. Says on stdout what was acknowledged, one line each, then `done`, and stays until its
 * stdin ends. Arguments: data folder, name, count of fields.
 */
import { openTestSharedLedger } from "./test-shared-ledger.ts";

const [folder = "", name = "", count = "0"] = process.argv.slice(2);
const ledger = await openTestSharedLedger(folder);
const source = `site:https://${name}.test`;
const atOnce = 8;

let next = 0;
async function writeOn(): Promise<void> {
  for (let index = next++; index < Number(count); index = next++) {
    const target = `company/${name}-${index % 50}`;
    await ledger.write({ source, changes: [{ target, field: `f/${index}`, value: index }] });
    process.stdout.write(`${index}\n`);
  }
}
await Promise.all(Array.from({ length: atOnce }, writeOn));
process.stdout.write("done\n");
process.stdin.resume().once("end", () => void ledger[Symbol.asyncDispose]());
