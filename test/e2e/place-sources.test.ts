// needs: osmium
// inputs: src/** docs/samples/** test/support/** package.json tsconfig.json tsconfig.build.json
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  serveFile,
  writeParquet,
} from "../../src/sources/adapters/parquet/testing/parquet-files.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { needs } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
});
afterAll(() => sandbox.remove());

const at = (...parts: readonly string[]) => join(sandbox.folder, ...parts);
const good = async (line: string) => {
  const result = await sandbox.forager(line.split(" "));
  expect(result.exitCode, `${line}\n${result.stderr}`).toBe(0);
  return result.stdout;
};
const json = async <T>(line: string): Promise<T> => JSON.parse(await good(`${line} --json`)) as T;

interface Listed {
  readonly rows: readonly { readonly name: string; readonly slug: string }[];
}
const names = async (data: string) =>
  (await json<Listed>(`company list --sort name --data ${data}`)).rows.map(({ name }) => name);

/** `init` writes forager.toml into the working folder: each sample has its own data folder below it. */
async function tryOut(sample: string) {
  rmSync(at("forager.toml"), { force: true });
  await good(
    `init town --contact you@forager-tests.org --source sample:${sample} --data ${sample}`,
  );
  return await json<{ readonly report: { readonly licences: readonly unknown[] } }>(
    `campaign run town --data ${sample}`,
  );
}

const six = ["Bäckerei Huber", "Backstube Sommer", "Elektro Vogt", "Rohr Meyer", "Sanitär Lindner", "Zahnarztpraxis Brandt"]; // prettier-ignore

describe("the sources that init offers, offline", () => {
  test("OpenStreetMap, as a saved answer of a server", async () => {
    const { report } = await tryOut("osm");
    expect(await names("osm")).toEqual(six);
    expect(report.licences).toMatchObject([{ licence: "ODbL-1.0" }]);
    const beside = readFileSync(at("osm/campaigns/town/exports/town.csv.LICENCES.txt"), "utf8");
    expect(beside).toContain("© OpenStreetMap contributors (ODbL-1.0)");
  });

  test("Overture, as a Parquet file: without what is closed, or what it doubts itself", async () => {
    const { report } = await tryOut("overture");
    expect(await names("overture")).toEqual(["Bäckerei Huber", "Backstube Sommer", "Rohr Meyer GmbH", "Sanitär Lindner"]); // prettier-ignore
    expect(report.licences).toMatchObject([{ licence: "CDLA-Permissive-2.0" }]);
  });

  test("a spreadsheet of one's own, which no licence is asked for", async () => {
    const { report } = await tryOut("file");
    expect(await names("file")).toEqual(six);
    expect(report.licences).toEqual([]);
    expect(existsSync(at("file/campaigns/town/exports/town.csv.LICENCES.txt"))).toBe(false);
  });

  needs(["osmium"], () => {
    test("an extract, through osmium-tool: closed ways once, areas by their way or relation", async () => {
      await tryOut("extract");
      expect(await names("extract")).toEqual(six);
      const { rows } = await json<{ rows: { places: string[] }[] }>("company list --data extract");
      expect(rows.flatMap(({ places }) => places).sort()).toEqual(["osm/node/1", "osm/node/2", "osm/node/4", "osm/node/5", "osm/relation/601", "osm/way/501"]); // prettier-ignore
    });
  });

  test("a sample that does not exist is named, with those that do", async () => {
    const result = await sandbox.forager(["init", "--contact", "a@b.org", "--source", "sample:x"]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("there is no 'sample:x': samples are sample:osm,");
  });
});

describe("one company from several sources", () => {
  const data = "--data osm";

  test("a campaign with two sources merges what is certainly the same, and decisions stay", async () => {
    await good(`places import overture.parquet --name overture ${data}`);
    const config = at("osm/campaigns/town/config.toml");
    writeFileSync(config, readFileSync(config, "utf8").replace("[sources]", '[sources]\nimported = ["overture"]')); // prettier-ignore
    await good(`campaign run town ${data}`);
    // Four of Overture's are the same as OpenStreetMap's, by their names, phones and places.
    expect(await names("osm")).toEqual(six);
    const shown = await json<{ places: string[]; licences: unknown[]; provenance: { field: string; licence?: string }[] }>(`company show rohr-meyer ${data}`); // prettier-ignore
    expect(shown.places).toHaveLength(2);
    expect(shown.licences).toMatchObject([{ licence: "ODbL-1.0" }, { licence: "CDLA-Permissive-2.0" }]); // prettier-ignore
    const licenceOf = (field: string) =>
      shown.provenance.find((one) => one.field === field)?.licence;
    expect([licenceOf("name"), licenceOf("zip")]).toEqual(["ODbL-1.0", "CDLA-Permissive-2.0"]);

    // A merge is undone, and never made or asked about again.
    await good(`company unmerge rohr-meyer ${data}`);
    expect(await names("osm")).toEqual([...six.slice(0, 4), "Rohr Meyer GmbH", ...six.slice(4)]);
    expect(await json(`company resolve ${data}`)).toEqual({ merged: 0, left: 0 });
    expect(await json(`company duplicates ${data}`)).toEqual([]);
  });

  test("what may be the same is listed with evidence; merged or distinct, it is not asked again", async () => {
    // Without domains of their own, the second would be found by its phone number.
    const add = (name: string) =>
      good(
        `company add Alpha-Werk-${name} --phone +498955501 --domain ${name}.example --city X ${data}`,
      );
    await add("One");
    await add("Two");
    const pairs = await json(`company duplicates ${data}`);
    expect(pairs).toMatchObject([{ verdict: "review", evidence: { phone: "+498955501" } }]);
    await good(`company distinct alpha-werk-one alpha-werk-two ${data}`);
    expect(await json(`company duplicates ${data}`)).toEqual([]);
    await add("Three");
    await good(`company merge alpha-werk-three alpha-werk-one --yes ${data}`);
    expect(await json(`company duplicates ${data}`)).toEqual([]);
  });

  test("exports say whose data is in them, and leave OpenStreetMap out with --without osm", async () => {
    const reported = await good(`export companies --format geojson --to all.geojson ${data}`);
    expect(reported).toContain("© OpenStreetMap contributors");
    const map = JSON.parse(readFileSync(at("all.geojson"), "utf8")) as { licences: unknown[] };
    expect(map.licences).toMatchObject([{ licence: "ODbL-1.0" }, { licence: "CDLA-Permissive-2.0" }]); // prettier-ignore
    expect(readFileSync(at("all.geojson.LICENCES.txt"), "utf8")).toContain("© OpenStreetMap contributors (ODbL-1.0)"); // prettier-ignore
    const coverage = JSON.parse(await good(`campaign coverage town --format geojson ${data}`)) as { licences: unknown[] }; // prettier-ignore
    expect(coverage.licences).toHaveLength(2);
    const report = await json<{ licences: unknown[] }>(`campaign report town ${data}`);
    expect(report.licences).toHaveLength(2);

    const piped = await sandbox.forager(["export", "companies", "--data", "osm"]);
    expect(piped.stderr).toContain("attribution: © OpenStreetMap contributors (ODbL-1.0)");

    await good(`export companies --without osm --format jsonl --to mine.jsonl ${data}`);
    const lines = readFileSync(at("mine.jsonl"), "utf8");
    expect(lines).not.toMatch(/osm|Elektro Vogt|Zahnarztpraxis/);
    // Of a merged company, what Overture and hands say stays.
    expect(lines).toContain("Bäckerei Huber");
    expect(lines).toContain("Alpha-Werk-One");
    expect(readFileSync(at("mine.jsonl.LICENCES.txt"), "utf8")).not.toContain("OpenStreetMap");
    const wrong = await sandbox.forager(["export", "companies", "--without", "osmm"]);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain("osm, overture, fsq");
  });
});

describe("bad input leaves an error, no release and no witness", () => {
  const bad = async (line: string) => {
    const result = await sandbox.forager(line.split(" "));
    expect(result.exitCode, result.stdout).not.toBe(0);
    return result.stderr;
  };

  test("a Parquet file without the columns of places names what it has", async () => {
    await writeParquet(at("other.parquet"), "select 1 as a, 'x' as b");
    expect(await bad("places import other.parquet --data bad")).toMatch(/it has no columns of places .*it has a INTEGER, b VARCHAR/); // prettier-ignore
    expect(existsSync(at("bad/bucket/places/other/releases"))).toBe(false);
  });

  test("a release that vanished, a page of HTML, and a connection that is cut for good; then it continues", async () => {
    await using server = await serveFile(at("overture.parquet"));
    const line = `places import ${server.url} --name remote --data bad`;
    server.status = 404;
    expect(await bad(line)).toContain("releases of Overture are public for 60 days");
    server.status = 200;
    expect(await bad(line)).toContain("does not give parts of it (it answered 200)");
    server.status = undefined;
    server.isDead = true;
    expect(await bad(line)).toContain("run the same command again to continue");
    expect(existsSync(at("bad/bucket/places/remote/releases"))).toBe(false);
    server.isDead = false;
    expect(await good(line)).toContain("remote: 4 places in 1 tile; left out: 1 closed");
    const before = server.requests;
    await good(line);
    expect(server.requests - before).toBeLessThan(3); // it is known: nothing is fetched again
  });

  test("a campaign whose remote file vanished has no witness, and continues when it is back", async () => {
    await using server = await serveFile(at("overture.parquet"));
    await good(`campaign new far --phrase bakery --location M@48.14,11.57 --source ${server.url} --data bad`); // prettier-ignore
    server.status = 404;
    expect(await bad("campaign plan far --data bad")).toContain("is not there (404)");
    expect(await good("campaign coverage far --by tile --data bad")).toMatch(
      /all phrases +\d+ +0 /,
    );
    server.status = undefined;
    await good("campaign dispatch far --data bad");
    await good("work --drain --kinds discover --data bad");
    expect(await names("bad")).toEqual(["Bäckerei Huber", "Backstube Sommer"]);
  });

  test("objects of the fleet's bucket are files too", async () => {
    await good("bucket put dir:bad/bucket places-raw/overture.parquet overture.parquet");
    expect(await good("places import bucket:places-raw/overture.parquet --name stored --data bad")).toContain("stored: 4 places"); // prettier-ignore
    expect(await bad("places import bucket:none.parquet --data bad")).toContain("there is no such object"); // prettier-ignore
  });
});
