// inputs: src/sources/** src/bucket/** src/base/**
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import type { Bucket } from "../../../bucket/index.ts";
import { parseTileId } from "../../grid.ts";
import { createSnapshotStore } from "../../snapshots/snapshot-store.ts";
import { placeSourceSuite } from "../../testing/place-source-suite.ts";
import { createFileSource, createImportedSource } from "./file-source.ts";

let folder = "";
let bucket: Bucket;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-places-"));
  bucket = createMemoryBucket({ clock: systemClock });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tile = parseTileId("48.1_11.5")!;
const line = (id: string, latitude = 48.15, longitude = 11.55) =>
  `${JSON.stringify({ id, name: `Plumber ${id}`, latitude, longitude })}\n`;
const write = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const sourceOf = (file: string) =>
  createFileSource({
    file,
    source: "test",
    store: createSnapshotStore(bucket),
    tempFolder: folder,
  });
const idsOf = async (source: ReturnType<typeof sourceOf>) =>
  (await source.area!(tile)).places.map(({ id }) => id).sort();

placeSourceSuite({
  name: "file",
  open: async (places) =>
    sourceOf(write("p.jsonl", places.map((one) => `${JSON.stringify(one)}\n`).join(""))),
  openBroken: async (places) => {
    const features = places.map(({ latitude, longitude, ...properties }) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [longitude, latitude] },
      properties,
    }));
    const text = JSON.stringify({ type: "FeatureCollection", features });
    return sourceOf(write("p.geojson", text.slice(0, -1)));
  },
});

placeSourceSuite({
  name: "imported",
  open: async (places) => {
    const file = write("p.jsonl", places.map((one) => `${JSON.stringify(one)}\n`).join(""));
    await sourceOf(file).release();
    return createImportedSource({ source: "test", store: createSnapshotStore(bucket) });
  },
  openBroken: async (places) => {
    const file = write("p.jsonl", places.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const store = createSnapshotStore(bucket);
    const { release } = await sourceOf(file).release();
    await bucket.put(`places/test/releases/${release}.json`, Buffer.from("{"));
    return createImportedSource({ source: "test", store });
  },
});

describe("a file as a source", () => {
  test("is cut once: what is there stays, and nothing of the cutting is left on the disk", async () => {
    const file = write("p.jsonl", line("a") + line("b", 1, 1));
    expect(await idsOf(sourceOf(file))).toEqual(["a"]);
    const before = (await bucket.list("places/")).map(({ key, modifiedAtMs }) => [
      key,
      modifiedAtMs,
    ]);
    expect(before).toHaveLength(3);
    expect(await idsOf(sourceOf(file))).toEqual(["a"]);
    const after = (await bucket.list("places/")).map(({ key, modifiedAtMs }) => [
      key,
      modifiedAtMs,
    ]);
    expect(after).toEqual(before);
    expect(readdirSync(folder)).toEqual(["p.jsonl"]);
  });

  test("that has changed is cut again", async () => {
    const file = write("p.jsonl", line("a"));
    const source = sourceOf(file);
    const first = await source.release();
    expect(await idsOf(source)).toEqual(["a"]);
    appendFileSync(file, line("b"));
    expect(await idsOf(source)).toEqual(["a", "b"]);
    expect((await source.release()).release).not.toBe(first.release);
  });

  test("that comes back as it was answers again, also on machines without it", async () => {
    const file = write("p.jsonl", line("a"));
    const source = sourceOf(file);
    await source.release();
    write("p.jsonl", line("a") + line("b"));
    utimesSync(file, new Date(), new Date(Date.now() + 60_000));
    expect(await idsOf(source)).toEqual(["a", "b"]);
    write("p.jsonl", line("a"));
    expect(await idsOf(source)).toEqual(["a"]);
    const elsewhere = sourceOf(join(folder, "none.jsonl"));
    expect(await idsOf(elsewhere)).toEqual(["a"]);
    write("p.jsonl", line("c"));
    expect(await idsOf(source)).toEqual(["c"]);
    expect(await idsOf(elsewhere)).toEqual(["c"]);
  });

  test("that is elsewhere is answered by what another machine has cut", async () => {
    const file = write("p.jsonl", line("a"));
    await sourceOf(file).release();
    rmSync(file);
    expect(await idsOf(sourceOf(file))).toEqual(["a"]);
    expect(await idsOf(createImportedSource({ source: "test", store: createSnapshotStore(bucket) }))).toEqual(["a"]); // prettier-ignore
  });

  test("that is nowhere is an error that names it", async () => {
    const missing = sourceOf(join(folder, "none.jsonl"));
    await expect(missing.area!(tile)).rejects.toThrow(/none\.jsonl: there is no such file/);
    const nothing = createImportedSource({ source: "x", store: createSnapshotStore(bucket) });
    await expect(nothing.area!(tile)).rejects.toThrow(/forager places import FILE --name x/);
  });

  test("the newest release answers", async () => {
    const store = createSnapshotStore(bucket);
    const file = write("p.jsonl", line("a"));
    utimesSync(file, 1_000, 1_000);
    await sourceOf(file).release();
    writeFileSync(file, line("b"));
    utimesSync(file, 2_000, 2_000);
    await sourceOf(file).release();
    expect(await idsOf(createImportedSource({ source: "test", store }))).toEqual(["b"]);
  });

  test("a snapshot that was lost or damaged is reported, and never an empty tile", async () => {
    const source = sourceOf(write("p.jsonl", line("a")));
    await source.release();
    const [object] = (await bucket.list("places/test/")).filter(({ key }) => key.endsWith(".gz"));
    await bucket.put(object!.key, Buffer.from("rubbish"));
    await expect(source.area!(tile)).rejects.toMatchObject({ kind: "corrupt" });
    await bucket.delete(object!.key);
    await expect(source.area!(tile)).rejects.toThrow(/lost the snapshot of 48\.1_11\.5/);
  });
});
