/**
 * Measures which companies are merged without asking, on real pairs that others have labelled: `node
 * scripts/data/measure-pairs.ts FOLDER`. The folder has the files `train_valid_test/SOURCES/CITY/*.txt`
 * of https://github.com/PasqualeTurin/Geo-ER (OpenStreetMap with Foursquare and with Yelp, four
 * cities); the data is not part of this project. Only `test.txt` is judged; the other files only
 * tell which names are chains.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sampleCompany } from "../../src/records/testing/sample-records.ts";
import { compared } from "../../src/records/resolve/compare-companies.ts";
import { judgePair } from "../../src/records/resolve/judge-pair.ts";

interface Pair {
  readonly sides: readonly Omit<Parameters<typeof judgePair>[0], "isChain">[];
  readonly isSame: boolean;
}

/** `COL name VAL Panther Hall COL latitude VAL 40.44 …`, of each side, and the label. */
function readPairs(file: string, source: string): readonly Pair[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const [a = "", b = "", label = ""] = line.split("\t");
    const sides = [a, b].map((text, at) => {
      const fields = [...text.matchAll(/COL (\w+) VAL (.*?)(?= COL |\s*$)/g)];
      const field = Object.fromEntries(fields.map(([, name, value]) => [name, value!.trim()]));
      const place = at === 0 ? "osm/node/1" : `${source}/1`;
      const { name = "", address = "", latitude, longitude } = field;
      return compared(
        sampleCompany(place.replaceAll("/", "."), {
          name,
          texts: { place, ...(address !== "" && { street: address }) },
          numbers: { latitude: Number(latitude), longitude: Number(longitude) },
          phones: [],
        }),
      );
    });
    return { sides, isSame: label.trim() === "1" };
  });
}

function measure(folder: string, source: string) {
  const places = new Map<string, Set<string>>();
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".txt"))) {
    for (const { sides } of readPairs(join(folder, name), source)) {
      for (const [at, { name: own, point }] of sides.entries()) {
        const known = places.get(own.joined) ?? new Set();
        places.set(own.joined, known.add(`${at} ${point?.latitude} ${point?.longitude}`));
      }
    }
  }
  const counts = { pairs: 0, same: 0, merged: 0, right: 0 };
  for (const { sides, isSame } of readPairs(join(folder, "test.txt"), source)) {
    const [a, b] = sides.map((side) => ({ ...side, isChain: (places.get(side.name.joined)?.size ?? 0) >= 3 })); // prettier-ignore
    const isMerged = judgePair(a!, b!).verdict === "same";
    counts.pairs += 1;
    if (isSame) counts.same += 1;
    if (isMerged) counts.merged += 1;
    if (isMerged && isSame) counts.right += 1;
  }
  return counts;
}

const root = join(process.argv[2] ?? ".", "train_valid_test");
const all = { pairs: 0, same: 0, merged: 0, right: 0 };
const print = (title: string, { pairs, same, merged, right }: typeof all) =>
  console.log(`${title}: ${pairs} pairs, precision ${(right / merged).toFixed(3)}, recall ${(right / same).toFixed(3)}`); // prettier-ignore
const foldersIn = (path: string) =>
  readdirSync(path, { withFileTypes: true }).flatMap((one) =>
    one.isDirectory() ? [one.name] : [],
  );
for (const sources of foldersIn(root)) {
  for (const city of foldersIn(join(root, sources))) {
    const counts = measure(join(root, sources, city), sources.replace(/^osm_/, ""));
    print(`${sources} ${city}`, counts);
    for (const key of Object.keys(all) as (keyof typeof all)[]) all[key] += counts[key];
  }
}
print("all", all);
