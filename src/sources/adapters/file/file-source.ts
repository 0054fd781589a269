import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import type { Place } from "../../place.ts";
import type { PlaceSource, TilePlaces } from "../../place-source.ts";
import { isRemoteFile } from "../../remote-file.ts";
import { unreadable } from "../../read/read-place-file.ts";
import { cutPlaces, type CutOptions } from "../../snapshots/cut-places.ts";
import type { SnapshotRelease, SnapshotStore } from "../../snapshots/snapshot-store.ts";

export interface FileSourceOptions extends Omit<CutOptions, "name" | "signal"> {
  /** The name for people; default: `file:` and the name of the file. */
  readonly name?: string;
  /** Cuts the file into snapshots; absent: as a text file. */
  readonly cut?: (options: CutOptions) => Promise<SnapshotRelease>;
}

/** A source with releases that are cut into snapshots, so its content is known in advance. */
export interface CutSource extends PlaceSource {
  /** The current release; cuts the file first if it has changed. */
  release(signal?: AbortSignal): Promise<SnapshotRelease>;
}

/**
 * Places from a file. The file is cut into snapshots once, and again when it has changed; then a
 * tile is one object. A machine that does not have the file, or cannot read it, uses the newest
 * release that another machine made.
 */
export function createFileSource(options: FileSourceOptions): CutSource {
  const {
    file,
    source,
    store,
    name = `file:${basename(file)}`,
    cut: cutFile = cutPlaces,
  } = options;
  // A file that was restored has an older release; machines without the file must use it too.
  const cutAndName = async (): Promise<SnapshotRelease> => {
    const made = await cutFile({ ...options, name });
    const answering = await store.latest(source);
    if (answering?.release !== made.release) await store.setAnswering(source, made.release);
    return made;
  };
  let cut: { readonly version: string; readonly release: Promise<SnapshotRelease> } | undefined;
  const release = async (signal?: AbortSignal): Promise<SnapshotRelease> => {
    signal?.throwIfAborted();
    const version = await versionOf(file);
    if (version === undefined) return latestOf(store, source, file);
    if (cut?.version !== version) cut = { version, release: cutAndName() };
    const { release: cutting } = cut;
    return await cutting.catch(async (error: unknown) => {
      if (cut?.release === cutting) cut = undefined;
      const isMissing = error instanceof AppError && /^(?:duckdb|osmium)_missing$/.test(error.code);
      const other = isMissing ? await store.latest(source) : undefined;
      if (!other) throw error;
      return other;
    });
  };
  return cutSource({ name, source, store, release });
}

/** A source that was imported under a name: its newest release is used. */
export function createImportedSource(options: {
  readonly source: string;
  readonly store: SnapshotStore;
}): CutSource {
  const { source, store } = options;
  return cutSource({
    name: `imported:${source}`,
    source,
    store,
    async release(signal) {
      signal?.throwIfAborted();
      const found = await store.latest(source);
      if (found) return found;
      const words = `nothing was imported as ${source}: forager places import FILE --name ${source}`;
      throw new AppError("invalid", "places_not_imported", words);
    },
  });
}

interface CutSourceParts {
  readonly name: string;
  readonly source: string;
  readonly store: SnapshotStore;
  readonly release: (signal?: AbortSignal) => Promise<SnapshotRelease>;
}

function cutSource({ name, source, store, release }: CutSourceParts): CutSource {
  const read = async (current: SnapshotRelease, tile: string): Promise<TilePlaces> => {
    const nothing = {
      places: [],
      release: current.release,
      dataTime: current.dataTime,
      outside: 0,
    };
    if (!Object.hasOwn(current.tiles, tile)) return nothing;
    const found = await store.read({ source, release: current.release, tile });
    if (found) return found;
    const words = `the bucket has lost the snapshot of ${tile} of ${name}: import its file again`;
    throw new AppError("corrupt", "places_snapshot", words);
  };
  return {
    name,
    key: source,
    attribution: { text: "", licence: "that of the file", url: "" },
    release,
    async area(tile, signal) {
      const current = await release(signal);
      signal?.throwIfAborted();
      return await read(current, tile.id);
    },
    async look(id, { tile, signal } = {}): Promise<Place | undefined> {
      const current = await release(signal);
      const tiles = tile ? [tile.id] : Object.keys(current.tiles);
      for (const one of tiles) {
        signal?.throwIfAborted();
        const found = (await read(current, one)).places.find((place) => place.id === id);
        if (found) return found;
      }
      return undefined;
    },
    async check(signal) {
      try {
        const { release: current, dataTime } = await release(signal);
        return { status: "good", release: current, dataTime };
      } catch (error) {
        if (signal?.aborted === true || !(error instanceof AppError)) throw error;
        return { status: "bad", reason: error.message };
      }
    },
  };
}

/** Returns undefined if this machine does not have the file. */
async function versionOf(file: string): Promise<string | undefined> {
  if (isRemoteFile(file)) return "remote"; // checked once by each process
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(file, error);
  }
}

async function latestOf(
  store: SnapshotStore,
  source: string,
  file: string,
): Promise<SnapshotRelease> {
  const found = await store.latest(source);
  if (found) return found;
  throw unreadable(file, Object.assign(new Error("no such file"), { code: "ENOENT" }));
}
