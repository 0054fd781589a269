import * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import { refuseNewerName } from "../../base/text/formats.ts";
import { listLimitMax, type Bucket, type ListedObject } from "../../bucket/index.ts";
import type { TilePlaces } from "../place-source.ts";
import { decodeSnapshot } from "./tile-snapshot.ts";

/**
 * Snapshots in a bucket:
 * - `places/<source>/<release>/<tile>.jsonl.gz`: the places of a tile;
 * - `places/<source>/releases/<release>.json`: the contents of a release, written after its tiles;
 * - `places/<source>/newest/<tile>.json`: the newest release, for a source that is queried by tile;
 * - `places/<source>/newest/file.json`: the release of a campaign's file that has come back.
 *
 * The first two are created once; a release without the second is not finished. The others are
 * replaced.
 */
export interface SnapshotStore {
  /** Undefined: the release has no places there. */
  read(at: SnapshotAt): Promise<TilePlaces | undefined>;
  /** An existing one is left as it is: a release never has two contents. */
  write(at: SnapshotAt, body: Uint8Array): Promise<"created" | "exists">;
  release(source: string, release: string): Promise<SnapshotRelease | undefined>;
  /** The release that `setAnswering` named, else the one with the newest data. */
  latest(source: string): Promise<SnapshotRelease | undefined>;
  /** Selects the release to use, even if another one has newer data. */
  setAnswering(source: string, release: string): Promise<void>;
  /** Also removes the source's oldest releases, if it has more than are kept. */
  finish(release: SnapshotRelease): Promise<void>;
  /**
   * For a source that is queried tile by tile: removes a snapshot that a newer one has replaced.
   */
  remove(at: SnapshotAt): Promise<void>;
  /** For a source that is queried tile by tile: the release of the last query, and its age. */
  newest(source: string, tile: string): Promise<NewestSnapshot | undefined>;
  setNewest(source: string, tile: string, release: string): Promise<void>;
  /** When each tile of such a source was last queried. */
  newestTimes(source: string): Promise<ReadonlyMap<string, number>>;
}

export interface NewestSnapshot {
  readonly release: string;
  /** By the store's clock. */
  readonly ageMs: number;
}

export interface SnapshotAt {
  readonly source: string;
  readonly release: string;
  readonly tile: string;
}

const count = z.int().min(0);
export const releaseFormat = "forager-places-release/1";
const releaseSchema = z.object({
  format: z.literal(releaseFormat),
  source: z.string(),
  /** The name for people: `file:places.jsonl`. */
  name: z.string(),
  release: z.string(),
  /** The hash of the file, for a release whose name depends on the area too. */
  content: z.string().optional(),
  dataTime: z.iso.datetime().optional(),
  places: count,
  /** The number of places in each tile that has any. */
  tiles: z.record(z.string(), count),
  /** Left out because they are outside the area. */
  outside: count,
  /** Left out because their id had occurred before. */
  duplicates: count,
  /** Left out because they are closed. */
  closed: count,
  bad: count,
  /** The attributions to show with the data. */
  attributions: z
    .array(z.object({ text: z.string(), licence: z.string(), url: z.string() }))
    .default([]),
  reasons: z.array(z.object({ reason: z.string(), count, lines: z.array(count) })),
});
export type SnapshotRelease = z.infer<typeof releaseSchema>;

export function createSnapshotStore(
  bucket: Pick<Bucket, "get" | "put" | "putIfAbsent" | "list" | "delete" | "now">,
  { releasesMax = Infinity }: { readonly releasesMax?: number } = {},
): SnapshotStore {
  const read = async (key: string): Promise<Uint8Array | undefined> => {
    const got = await bucket.get(key);
    return got.status === "found" ? got.body : undefined;
  };
  const newestSchema = z.object({ release: z.string().regex(/^[A-Za-z0-9.-]{1,60}$/) });
  const readRelease = async (key: string): Promise<SnapshotRelease | undefined> => {
    const body = await read(key);
    if (body === undefined) return undefined;
    const found = jsonOf(body);
    const parsed = releaseSchema.safeParse(found);
    if (parsed.success) return parsed.data;
    const { format } = Object(found) as { readonly format?: unknown };
    refuseNewerName(format, { newest: releaseFormat, code: "places_newer", where: key });
    const words = `the object ${key} does not describe a release of places: remove it, and import again`;
    throw new AppError("corrupt", "places_release", words, { cause: parsed.error });
  };
  const readNewest = async (key: string) => {
    const got = await bucket.get(key);
    if (got.status !== "found") return undefined;
    const parsed = newestSchema.safeParse(jsonOf(got.body));
    // An unreadable object counts as missing, and is replaced after the next query.
    return parsed.success ? { ...parsed.data, ageMs: got.seenAtMs - got.modifiedAtMs } : undefined;
  };
  const latest = async (source: string): Promise<SnapshotRelease | undefined> => {
    const chosen = await readNewest(newestKey(source, answeringFile));
    const answering = chosen && (await readRelease(releaseKey(source, chosen.release)));
    if (answering) return answering;
    const listed = await listAll(bucket, `places/${checkedKey(source)}/releases/`);
    const last = listed.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs).slice(0, comparedMax);
    const found = await Promise.all(last.map(({ key }) => readRelease(key)));
    return found
      .filter((one) => one !== undefined)
      .reduce<SnapshotRelease | undefined>(
        (best, one) => (best && (best.dataTime ?? "") >= (one.dataTime ?? "") ? best : one),
        undefined,
      );
  };
  /**
   * Removes the list of contents first, then the tiles: if the file comes back, it is cut again.
   */
  const removeRelease = async (source: string, release: string): Promise<void> => {
    await bucket.delete(releaseKey(source, release));
    const tiles = await listAll(bucket, `places/${checkedKey(source)}/${release}/`);
    for (let from = 0; from < tiles.length; from += deletesAtOnce) {
      const some = tiles.slice(from, from + deletesAtOnce);
      await Promise.all(some.map(({ key }) => bucket.delete(key)));
    }
  };
  /** Keeps the release with the newest data, whenever it was written, because that one is used. */
  const removeOld = async (source: string): Promise<void> => {
    const listed = await listAll(bucket, `places/${checkedKey(source)}/releases/`);
    if (listed.length <= releasesMax) return;
    const answering = (await latest(source))?.release;
    const old = listed
      .sort((a, b) => b.modifiedAtMs - a.modifiedAtMs)
      .slice(releasesMax)
      .map(({ key }) => key.slice(key.lastIndexOf("/") + 1).replace(/\.json$/, ""))
      .filter((release) => release !== answering);
    for (const release of old) await removeRelease(source, release);
  };
  /** Removes tiles of releases that were never finished, or whose removal was interrupted. */
  const removeUnfinished = async (source: string): Promise<void> => {
    const prefix = `places/${checkedKey(source)}/`;
    const [finished, lastWritten] = [new Set<string>(), new Map<string, number>()];
    for (const { key, modifiedAtMs } of await listAll(bucket, prefix)) {
      const [folder = "", name = ""] = key.slice(prefix.length).split("/");
      if (folder === "releases") finished.add(name.replace(/\.json$/, ""));
      else if (folder !== "newest") {
        lastWritten.set(folder, Math.max(modifiedAtMs, lastWritten.get(folder) ?? 0));
      }
    }
    const { earliestMs } = await bucket.now();
    for (const [release, atMs] of lastWritten) {
      const isOld = earliestMs - atMs > unfinishedMs;
      if (isOld && !finished.has(release)) await removeRelease(source, release);
    }
  };
  const setNewest = async (source: string, tile: string, release: string): Promise<void> => {
    await bucket.put(newestKey(source, tile), Buffer.from(`${JSON.stringify({ release })}\n`));
  };
  return {
    async read(at) {
      const body = await read(keyOf(at));
      return body && decodeSnapshot(keyOf(at), body);
    },
    async write(at, body) {
      return (await bucket.putIfAbsent(keyOf(at), body)).status;
    },
    release: (source, release) => readRelease(releaseKey(source, release)),
    latest,
    async finish(release) {
      const body = Buffer.from(`${JSON.stringify(release)}\n`);
      await bucket.putIfAbsent(releaseKey(release.source, release.release), body);
      await unlessRefused(() => removeOld(release.source));
      await unlessRefused(() => removeUnfinished(release.source));
    },
    remove: (at) => unlessRefused(() => bucket.delete(keyOf(at))),
    newest: (source, tile) => readNewest(newestKey(source, tile)),
    setNewest,
    setAnswering: (source, release) => setNewest(source, answeringFile, release),
    async newestTimes(source) {
      const prefix = `places/${checkedKey(source)}/newest/`;
      const listed = await listAll(bucket, prefix);
      return new Map(
        listed.map(({ key, modifiedAtMs }) => [
          key.slice(prefix.length).replace(/\.json$/, ""),
          modifiedAtMs,
        ]),
      );
    },
  };
}

/** Ignores a missing right to delete and an unavailable bucket: another node removes it later. */
async function unlessRefused(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

async function listAll(bucket: Pick<Bucket, "list">, prefix: string) {
  const listed: ListedObject[] = [];
  for (let after: string | undefined; ; after = listed.at(-1)!.key) {
    const page = await bucket.list(prefix, after === undefined ? {} : { startAfter: after });
    listed.push(...page);
    if (page.length < listLimitMax) return listed;
  }
}

/**
 * How many of the last written releases are compared for the newest data, because imports need not
 * be in order.
 */
const comparedMax = 20;
/** Cannot collide with a tile's name, which begins with a digit or a minus sign. */
const answeringFile = "file";
const deletesAtOnce = 16;
/** An import that has written nothing for this long has ended. */
const unfinishedMs = 86_400_000;

const keyOf = ({ source, release, tile }: SnapshotAt) =>
  `places/${checkedKey(source)}/${release}/${tile}.jsonl.gz`;
const newestKey = (source: string, tile: string) =>
  `places/${checkedKey(source)}/newest/${tile}.json`;
const releaseKey = (source: string, release: string) =>
  `places/${checkedKey(source)}/releases/${release}.json`;

export const sourceKeyRule = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;

function checkedKey(source: string): string {
  if (sourceKeyRule.test(source)) return source;
  const words = `a source of places is called by 1 to 63 of a-z, 0-9, . and -, not '${source}'`;
  throw new AppError("invalid", "places_source", words);
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined; // the schema then reports what is wrong
  }
}
