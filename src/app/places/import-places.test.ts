// inputs: src/** package.json
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { createPaths } from "../../config/index.ts";
import { createSnapshotStore } from "../../sources/index.ts";
import { importPlaces } from "./import-places.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-import-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("an import removes what a killed one left a day ago, and not the files of one that runs", async () => {
  const dayAgo = Date.now() / 1_000 - 90_000;
  for (const name of ["import-dead", "import-running", "import-writing"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "extract.geojsonseq"), "x");
  }
  utimesSync(join(folder, "import-dead", "extract.geojsonseq"), dayAgo, dayAgo);
  for (const name of ["import-dead", "import-writing"])
    utimesSync(join(folder, name), dayAgo, dayAgo);
  const file = join(folder, "broken.osm.pbf");
  writeFileSync(file, "no extract");
  const importing = importPlaces({
    file,
    source: "s",
    places: {
      store: createSnapshotStore(createMemoryBucket({ clock: systemClock })),
      tempFolder: () => folder,
    },
    remote: { paths: createPaths(folder), bucket: undefined },
    clock: systemClock,
  });
  // With osmium it fails by the file, without it by the missing program.
  await expect(importing).rejects.toThrow(/PBF|osmium/);
  expect(readdirSync(folder).sort()).toEqual([
    "broken.osm.pbf",
    "import-running",
    "import-writing",
  ]);
});
