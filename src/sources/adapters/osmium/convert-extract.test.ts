// needs: osmium
// inputs: docs/samples/**
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { packageFile } from "../../../base/files/package-files.ts";
import type { Place } from "../../place.ts";
import { readPlaceFile } from "../../read/read-place-file.ts";
import { convertExtract } from "./convert-extract.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-osmium-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sample = packageFile("docs/samples/osm.osm.pbf");

async function placesOf(file: string): Promise<readonly Place[]> {
  const places: Place[] = [];
  for await (const batch of readPlaceFile({ file })) {
    for (const { read } of batch) if (read.kind === "place") places.push(read.place);
  }
  return places;
}

test("without osmium-tool the message names the packages that have it", async () => {
  const converting = convertExtract({
    file: sample,
    to: join(folder, "none"),
    program: join(folder, "no-such-osmium"),
  });
  await expect(converting).rejects.toMatchObject({
    code: "osmium_missing",
    kind: "invalid",
    message: expect.stringMatching(/apt install osmium-tool .*brew install osmium-tool/) as string,
  });
});

needs(["osmium"], () => {
  test("closed ways and areas have the ids of their ways and relations", async () => {
    const to = join(folder, "sample.geojsonseq");
    await convertExtract({ file: sample, to });
    // osmium writes the closed way twice, as a line and as an area.
    expect(readFileSync(to, "utf8").match(/"id":"(?:w501|a1002)"/g)).toHaveLength(2);
    const places = await placesOf(to);
    expect([...new Set(places.map(({ id }) => id))].sort()).toEqual([
    "osm/node/1", "osm/node/2", "osm/node/4", "osm/node/5", "osm/relation/601", "osm/way/501",
  ]); // prettier-ignore
    const way = places.filter(({ id }) => id === "osm/way/501");
    expect(way).toMatchObject([{ name: "Bäckerei Huber" }, { name: "Bäckerei Huber" }]);
    for (const { latitude, longitude } of way) {
      expect([latitude, longitude]).toEqual([
        expect.closeTo(48.1355, 5),
        expect.closeTo(11.5802, 5),
      ]);
    }
  });

  test("what is not an extract, or cut short, is an error", async () => {
    const cut = join(folder, "cut.osm.pbf");
    writeFileSync(cut, readFileSync(sample).subarray(0, 600));
    for (const file of [cut, join(folder, "none.osm.pbf")]) {
      await expect(convertExtract({ file, to: join(folder, "x") })).rejects.toMatchObject({
        code: "places_extract",
        kind: "invalid",
      });
    }
  });
});
