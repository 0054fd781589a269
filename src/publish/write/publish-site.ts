/**
 * Writes a site to a folder or a bucket. Invariants:
 * - Parts are written before the manifest that names them, and the manifest is written
 *   conditionally. A publish that stops half-way leaves the old site; if two run at once, the
 *   second to end fails, and its site never appears.
 * - The name of a part contains a hash of its content and the generation that first wrote it. So no
 *   name is written again after it was removed, and removing retired parts cannot hit a part of a
 *   later site.
 * - An open page still reads the parts of the site that it started with: they stay for `graceMs`.
 */
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { listLimitMax, mayHaveHappened } from "../../bucket/index.ts";
import { buildSite, type BuildOptions, type SiteSource } from "../build/build-site.ts";
import { typeOfFile } from "../build/site-page.ts";
import { manifestFile, siteFormat, type SiteBody, type SiteManifest } from "../site-format.ts";
import { openSealing, type KeySealing } from "./seal.ts";
import { manifestBytes, partsOf, pathsOf, readManifest } from "./site-manifest.ts";
import type { SiteStore } from "./site-store.ts";
import { createUploads } from "./uploads.ts";

export interface PublishOptions extends Pick<
  BuildOptions,
  "mode" | "shown" | "signal" | "onCompanies"
> {
  readonly store: SiteStore;
  readonly source: SiteSource;
  readonly clock: Clock;
  /** Only for a sealed site. */
  readonly sealing?: KeySealing | undefined;
  /**
   * Keys with which the site may have been sealed before. If one of them fits, nothing of the old
   * site is kept.
   */
  readonly oldKeys?: readonly KeySealing[];
  readonly graceMs?: number;
  /**
   * Called when the target has been accepted (it has a site, or is empty), before anything is
   * written.
   */
  readonly onAccepted?: () => void;
  readonly onUploads?: (count: number) => void;
}

export interface PublishedSite {
  readonly status: "published" | "unchanged";
  readonly generation: number;
  readonly at: string;
  readonly body: SiteBody;
  /** The number of files written, without the manifest. */
  readonly written: number;
  readonly removed: number;
}

export const graceMsDefault = 24 * 3_600_000;
/** After this many generations, files of interrupted publishes are looked for and removed. */
const sweepEvery = 16;
const listsMax = 1_000;
const deletesAtOnce = 8;

export async function publishSite(options: PublishOptions): Promise<PublishedSite> {
  const { store, source, clock, sealing, oldKeys = [], graceMs = graceMsDefault } = options;
  const before = await store.get(manifestFile);
  if (before.status === "absent") await checkUnused(store);
  const keys = sealing ? [sealing, ...oldKeys] : oldKeys;
  const isRotating = oldKeys.length > 0;
  const old = before.status === "found" ? readOld(before.body, keys, isRotating) : undefined;
  options.onAccepted?.();
  // Parts with another key, or without encryption, are written again.
  const reusable = old && !isRotating && (old.body.mode === "sealed") === (sealing !== undefined) ? old : undefined; // prettier-ignore
  const known = new Map(
    [...(reusable ? partsOf(reusable) : [])].map((name) => [hashOf(name), name]),
  );
  const generation = (old?.generation ?? 0) + 1;
  const pack = sealing ?? openSealing;
  await using uploads = createUploads(store, options.onUploads);
  const names = new Map<string, string>(known);
  const body = await buildSite(source, {
    ...options,
    async addPart(text, identity = text) {
      const hash = pack.nameOf(identity);
      const found = names.get(hash);
      if (found !== undefined) return found;
      const name = `${hash}-${generation.toString(36)}`;
      names.set(hash, name);
      await uploads.put(`data/${name}`, () => pack.pack(text), { cacheControl: forEver });
      return name;
    },
    async addFile(path, bytes) {
      const hash = openSealing.nameOf(Buffer.from(bytes).toString("latin1"));
      if (old?.body.files[path] === hash) return hash;
      const cacheControl = path.startsWith("assets/") ? forEver : "no-cache";
      await uploads.put(path, () => bytes, { contentType: typeOfFile(path), cacheControl });
      return hash;
    },
  });
  await uploads.end();
  const nowMs = clock.nowMs();
  // The files of the previous site are removed if its readers, or companies in it, may have lost
  // the right to be there.
  const isRevoking = isRotating || (old !== undefined && hidesMore(old.body, body));
  const retired = old ? retiredBy(old, { body, nowMs }) : [];
  const expired = retired.filter(([, atMs]) => isRevoking || nowMs - atMs >= graceMs);
  const written = uploads.count();
  if (old && expired.length === 0 && isSameBody(old.body, body)) {
    return {
      status: "unchanged",
      generation: old.generation,
      at: old.at,
      body,
      written,
      removed: 0,
    };
  }
  options.signal.throwIfAborted();
  const left = retired.filter((one) => !expired.includes(one));
  const at = new Date(nowMs).toISOString();
  const manifest: SiteManifest = { format: siteFormat, readableBy: siteFormat, generation, at, body, retired: left }; // prettier-ignore
  // If this stops before the files are removed, the next publish removes them.
  const first = isRevoking ? { ...manifest, retired: expired.map(([path]) => [path, 0] as const) } : manifest; // prettier-ignore
  const etag = await writeManifest(
    store,
    manifestBytes(first, sealing),
    before.status === "found" ? before.etag : undefined,
  );
  const swept =
    isRevoking || generation % sweepEvery === 0
      ? await orphansOf(store, manifest, { untilMs: isRevoking ? Infinity : nowMs - graceMs })
      : [];
  const removed = new Set([...expired.map(([path]) => path), ...swept]);
  const paths = [...removed];
  for (let from = 0; from < paths.length; from += deletesAtOnce) {
    await Promise.all(paths.slice(from, from + deletesAtOnce).map((path) => store.delete(path)));
  }
  // "stale" is not an error: the next publish has ended in the meantime, and has removed the same
  // files.
  if (isRevoking && expired.length > 0) await store.putIfMatch(manifestFile, manifestBytes(manifest, sealing), etag); // prettier-ignore
  return { status: "published", generation, at, body, written, removed: removed.size };
}

/** Whether the next site must hide something that is in the files of this one. */
const hidesMore = (old: SiteBody, next: SiteBody): boolean =>
  old.mode !== next.mode ||
  old.leftOut.mark !== next.leftOut.mark ||
  next.leftOut.values.some((value) => !old.leftOut.values.includes(value));

/** Files that an interrupted publish, or the test that a bucket is private, may have left. */
const ownKey = /^(?:data\/|probe-|assets\/|index\.html$|licences\.txt$)/;

/** Other files mean that the folder or prefix belongs to something else. */
async function checkUnused(store: SiteStore): Promise<void> {
  const other = (await store.list("", { limit: 100 })).find(({ key }) => !ownKey.test(key));
  if (!other) return;
  const message = `the target contains other files, such as ${other.key}: choose an empty folder or prefix`;
  throw new AppError("invalid", "site_target_used", message);
}

const forEver = "public, max-age=31536000, immutable";
const hashOf = (name: string): string => name.slice(0, name.indexOf("-"));
const generationOf = (name: string): number => parseInt(name.slice(name.indexOf("-") + 1), 36);

/** Compares bodies as they are stored, regardless of the order of names. */
const isSameBody = (old: SiteBody, body: SiteBody): boolean =>
  isDeepStrictEqual(old, JSON.parse(JSON.stringify(body)));

/** A site whose key is lost can be replaced, but not read. */
function readOld(bytes: Uint8Array, keys: readonly KeySealing[], isRotating: boolean) {
  try {
    return readManifest(bytes, keys);
  } catch (error) {
    if (isRotating && error instanceof AppError && error.code === "site_key") return undefined;
    throw error;
  }
}

function retiredBy(
  old: SiteManifest,
  { body, nowMs }: { readonly body: SiteBody; readonly nowMs: number },
): SiteManifest["retired"] {
  const used = pathsOf({ body });
  const fresh = [...pathsOf(old)].map((path) => [path, nowMs] as const);
  return [...old.retired, ...fresh].filter(([path]) => !used.has(path));
}

async function writeManifest(
  store: SiteStore,
  bytes: Uint8Array,
  etag: string | undefined,
): Promise<string> {
  try {
    const answer =
      etag === undefined
        ? await store.putIfAbsent(manifestFile, bytes)
        : await store.putIfMatch(manifestFile, bytes, etag);
    if (answer.status === "created" || answer.status === "written") return answer.etag;
  } catch (error) {
    if (!mayHaveHappened(error)) throw error;
    const now = await store.get(manifestFile);
    if (now.status === "found" && Buffer.from(now.body).equals(bytes)) return now.etag;
    throw error;
  }
  const message =
    "another publish to the same target finished first, so this one was discarded: run it again";
  throw new AppError("conflict", "site_published_meanwhile", message);
}

/**
 * Parts that no site uses: from interrupted publishes, or from a site whose manifest cannot be
 * read. Parts of a later generation belong to a publish that is still running.
 */
async function orphansOf(
  store: SiteStore,
  manifest: SiteManifest,
  { untilMs }: { readonly untilMs: number },
): Promise<readonly string[]> {
  const used = new Set([...pathsOf(manifest), ...manifest.retired.map(([path]) => path)]);
  const orphans: string[] = [];
  let startAfter = "";
  for (let count = 0; count < listsMax; count += 1) {
    const page = await store.list("data/", { startAfter });
    for (const { key, modifiedAtMs } of page) {
      const isOurs = generationOf(key) <= manifest.generation;
      if (isOurs && !used.has(key) && modifiedAtMs <= untilMs) orphans.push(key);
    }
    if (page.length < listLimitMax) break;
    startAfter = page.at(-1)!.key;
  }
  return orphans;
}
