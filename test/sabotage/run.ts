/**
 * Breaks the code in every listed way, one at a time, in a copy, and sees whether the named test
 * fails:
 *
 *     node --import tsx test/sabotage/run.ts LIST [part of a name]
 *
 * What needs a server finds it in the environment: `npm run services` prints it.
 */
import { sabotageLists } from "./lists.ts";
import { openWorkshop } from "./workshop.ts";

const [listName = "", part = ""] = process.argv.slice(2);
const list = sabotageLists[listName]?.sabotages;
if (!list) throw new Error(`which list? one of: ${Object.keys(sabotageLists).join(", ")}`);
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
