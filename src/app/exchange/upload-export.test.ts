import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPaths } from "../../config/index.ts";
import { createBucket } from "../bucket/create-bucket.ts";
import { openBucket } from "../bucket/open-bucket.ts";
import { exportToFile } from "./export-file.ts";
import { uploadExport } from "./upload-export.ts";

test("an export and what is in it are copied into the campaign's folder of the bucket", async () => {
  const root = mkdtempSync(join(tmpdir(), "forager-upload-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const paths = createPaths(join(root, "environments", "test"));
  const file = join(root, "leads.csv");
  await exportToFile({
    to: file,
    fileFormat: "csv",
    campaign: "austin",
    legal: {},
    nowMs: Date.parse("2026-11-17T00:00:00.000Z"),
    async run(write) {
      await write("name\r\nAcme\r\n");
      return counts;
    },
  });
  const address = `dir:${join(root, "bucket")}`;
  await createBucket(address);
  const settings = { bucket: { url: address } };
  const { signal } = new AbortController();
  const upload = () => uploadExport({ settings, paths, campaign: "austin", file, signal });
  const key = await upload();
  expect(key).toBe("forager-exports-austin-test/leads.csv");

  await using bucket = await openBucket(address);
  const textOf = async (name: string) => {
    const got = await bucket.get(name);
    return got.status === "found" ? Buffer.from(got.body).toString() : got.status;
  };
  expect(await textOf(key)).toBe("name\r\nAcme\r\n");
  const about = JSON.parse(await textOf(`${key}.about.json`)) as Record<string, unknown>;
  expect(about).toMatchObject({ rows: 1, at: "2026-11-17T00:00:00.000Z", campaign: "austin" });
  expect(about["licences"]).toEqual(counts.licences);

  expect(await textOf(`${key}.LICENCES.txt`)).toContain("OpenStreetMap");

  // A newer export replaces it.
  writeFileSync(file, "name\r\n");
  await upload();
  expect(await textOf(key)).toBe("name\r\n");
  expect(await bucket.list("")).toHaveLength(3);
});

const counts = {
  rows: 1,
  withoutPoint: 0,
  suppressedCompanies: 0,
  suppressedAddresses: 0,
  suppressedPhones: 0,
  repeated: 0,
  shared: 0,
  withoutName: 0,
  placeSources: ["osm"],
  licences: [{ text: "© OpenStreetMap contributors", licence: "ODbL", url: "https://o.example/" }],
};
