import { AppError } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { boxOf, tileAt, type Box, type Tile } from "../../grid.ts";
import type { Place } from "../../place.ts";
import type { PlaceSource, SourceGate, TilePlaces } from "../../place-source.ts";
import { osmAttribution } from "../../attributions.ts";
import { readElement } from "../../read/read-place.ts";
import type { SnapshotStore } from "../../snapshots/snapshot-store.ts";
import { encodeSnapshot } from "../../snapshots/tile-snapshot.ts";
import type { AskOptions, OverpassClient } from "./overpass-client.ts";
import { elementQuery, overpassQuery, probeQuery, quartersOf } from "./overpass-query.ts";

export interface OverpassSourceOptions {
  readonly url: string;
  readonly client: OverpassClient;
  readonly store: SnapshotStore;
  readonly gate: Omit<SourceGate, "key" | "limit">;
  /** A snapshot of a tile is used for this many days; then the server is queried again. */
  readonly snapshotDays: number;
  readonly clock: Clock;
}

/**
 * 1/8 of a tile's edge is about a kilometre: if that box is still too much, size is not the
 * problem.
 */
const splitsMax = 3;
const dayMs = 86_400_000;

/**
 * The name of a server in snapshots and witnesses: its host, because servers may have different
 * data.
 */
export const overpassKey = (url: string): string =>
  `overpass.${new URL(url).host.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, "-")}`.slice(0, 63);

/**
 * OpenStreetMap through an Overpass server. Each tile is queried once in `snapshotDays`; its answer
 * is stored as a snapshot that all nodes read. A tile that is too much for the server is queried in
 * quarters.
 */
export function createOverpassSource(options: OverpassSourceOptions): PlaceSource {
  const { url, client, store, snapshotDays, clock } = options;
  const key = overpassKey(url);
  const name = `overpass:${new URL(url).host}`;

  const readKept = async (tile: Tile): Promise<TilePlaces | undefined> => {
    const newest = await store.newest(key, tile.id);
    if (!newest || newest.ageMs > snapshotDays * dayMs) return undefined;
    return await store.read({ source: key, release: newest.release, tile: tile.id });
  };

  const askFor = async (tile: Tile, ask: AskOptions): Promise<TilePlaces> => {
    const found = new Map<string, Place>();
    const counts = { outside: new Set<string>(), parts: 0 };
    let dataTime: string | undefined;
    const read = async (box: Box, level: number): Promise<void> => {
      const answer = await client.ask(overpassQuery(box), ask);
      counts.parts += 1;
      if (answer.kind === "too_big") {
        if (level >= splitsMax) throw tooBig(name, tile, answer.reason);
        for (const quarter of quartersOf(box)) await read(quarter, level + 1);
        return;
      }
      // The age of several parts is that of the oldest one.
      dataTime = dataTime !== undefined && dataTime < answer.dataTime! ? dataTime : answer.dataTime;
      for (const element of answer.elements) {
        const read = readElement(element);
        if (read.kind !== "place") continue;
        const { id, latitude = 0, longitude = 0 } = read.place;
        // Boxes of Overpass include all of their edges, ours do not; and large areas extend beyond
        // them.
        if (tileAt({ latitude, longitude }).id === tile.id) found.set(id, read.place);
        else counts.outside.add(id);
      }
    };
    for (const box of boxesOf(tile)) await read(box, 0);
    const places = [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const release = (dataTime ?? new Date(clock.nowMs()).toISOString()).replaceAll(/[-:]|\.\d+/g, ""); // prettier-ignore
    const about = { source: name, tile: tile.id, release, dataTime, outside: counts.outside.size };
    const body = encodeSnapshot(
      { ...about, ...(counts.parts > 1 && { parts: counts.parts }) },
      places.map((place) => JSON.stringify(place)),
    );
    await store.write({ source: key, release, tile: tile.id }, body);
    const before = await store.newest(key, tile.id);
    await store.setNewest(key, tile.id, release);
    if (before && before.release !== release) {
      await store.remove({ source: key, release: before.release, tile: tile.id });
    }
    return { places, release, dataTime, outside: counts.outside.size };
  };

  return {
    name,
    key,
    attribution: osmAttribution,
    gate: { ...options.gate, key: new URL(url).host, limit: 1 },
    async area(tile, signal, onRequest) {
      signal?.throwIfAborted();
      return (await readKept(tile)) ?? (await askFor(tile, { signal, onRequest }));
    },
    async look(id, { tile, signal } = {}) {
      signal?.throwIfAborted();
      const kept = tile && (await readKept(tile));
      if (kept) return kept.places.find((place) => place.id === id);
      const query = elementQuery(id);
      if (query === undefined) return undefined;
      const answer = await client.ask(query, { signal });
      if (answer.kind === "too_big") throw new AppError("unavailable", "places_bad_answer", `${name}: ${answer.reason}`); // prettier-ignore
      const [read] = answer.elements.map(readElement);
      return read?.kind === "place" ? read.place : undefined;
    },
    async check(signal) {
      try {
        const answer = await client.ask(probeQuery, { signal });
        if (answer.kind === "too_big") return { status: "bad", reason: answer.reason };
        return { status: "good", release: answer.dataTime ?? "", dataTime: answer.dataTime };
      } catch (error) {
        if (signal?.aborted === true || !(error instanceof AppError)) throw error;
        return { status: "bad", reason: error.message };
      }
    },
  };
}

/** The tile at -180° also contains what lies at 180°, so it needs a second box. */
function boxesOf(tile: Tile): readonly Box[] {
  const box = boxOf(tile);
  return box.west === -180 ? [box, { ...box, west: 180, east: 180 }] : [box];
}

const tooBig = (name: string, { id }: Tile, reason: string) =>
  new AppError(
    "unavailable",
    "places_too_big",
    `${name} cannot answer the tile ${id}, not even in ${4 ** splitsMax} parts: ${reason}; use an extract ` +
      "(forager places import FILE.osm.pbf)",
  );
