/**
 * Breaks one file in many small ways, one at a time, in a copy, and sees whether its tests fail:
 *
 *     node --import tsx test/sabotage/mutate.ts src/extract/email/rank-email.ts src/extract/email/emails.test.ts [count]
 *
 * For code that changes often: no text of it is written down anywhere. A mutant that survives is a
 * line whose tests do not care, or a change that means the same.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mutantsOf, sampleOf } from "./mutants.ts";
import { openWorkshop, repository } from "./workshop.ts";

const [file = "", test = "", count = "20"] = process.argv.slice(2);
if (!file || !test) throw new Error("which file, and which test file?");
const source = readFileSync(join(repository, file), "utf8");
const chosen = sampleOf(mutantsOf(source), Number(count));

using workshop = openWorkshop();
if (await workshop.isKilled(file, source, test)) throw new Error(`${test} fails on unbroken code`);
let killed = 0;
for (const { line, change, text } of chosen) {
  const isKilled = await workshop.isKilled(file, text, test);
  if (isKilled) killed += 1;
  console.log(`${isKilled ? "killed  " : "SURVIVED"}  ${file}:${line}  ${change}`);
}
console.log(`${killed} of ${chosen.length} killed`);
