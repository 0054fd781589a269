/**
 * Writes to one new place after the other until it is killed: `PLACE FOLDER LOG`. What was
 * acknowledged goes to LOG, which is on another disk, before anything else happens: a line with
 * the number of the place, then what it was. The last two places that it began are never removed.
 */
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemRandom } from "../../src/base/random.ts";
import { begin, write, type PlaceName } from "./workload.ts";

const [place = "", folder = "", log = ""] = process.argv.slice(2);

for (let round = 1; ; round++) {
  const say = (what: string) => appendFileSync(log, `${round} ${what}\n`);
  say(begin);
  rmSync(join(folder, String(round - 2)), { recursive: true, force: true });
  // Small ones too, so that many moments are near the making of a place.
  const count = 1 + systemRandom.below(2 ** (1 + systemRandom.below(8)));
  await write(place as PlaceName, {
    folder: join(folder, String(round)),
    count,
    acknowledge: say,
  });
}
