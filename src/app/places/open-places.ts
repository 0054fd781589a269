import { AppError } from "../../base/app-error.ts";
import { closable, type Closable } from "../../base/closable.ts";
import { systemClock } from "../../base/clock.ts";
import { docsPage } from "../../base/files/docs-page.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { silentLogger, type Logger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { createLazyBucket, createRetryingBucket } from "../../bucket/index.ts";
import type { Campaign, CampaignFolder, CampaignSource } from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type {
  CutOptions,
  CutProgress,
  SnapshotRelease,
  SnapshotStore,
  Tile,
} from "../../sources/index.ts";
import { locateBucket } from "../bucket/bucket-address.ts";
import { openBucket } from "../bucket/open-bucket.ts";

export interface OpenPlacesOptions {
  readonly paths: Paths;
  /** Where snapshots are stored; without an address, in the folder `bucket` of the data folder. */
  readonly bucket?: Settings["bucket"] | undefined;
  /** How many releases of a source are kept when a new one is made. Default: all. */
  readonly keepReleases?: number | undefined;
  /** From the settings; overridden by the campaign. */
  readonly contact?: string | undefined;
  /** Gets what servers of places remark. Default: nowhere. */
  readonly log?: Logger | undefined;
  /** The progress of importing a file. */
  readonly onProgress?: (progress: CutProgress) => void;
}

/** The snapshots of a data folder or its fleet, and the sources of campaigns that read them. */
export interface Places extends Closable {
  readonly store: SnapshotStore;
  /** For temporary data while a file is imported. */
  tempFolder(): string;
  /** `key` is one of `sourceKeysOf`. Each source is opened once and shared. */
  source(folder: CampaignFolder, campaign: Campaign, key: string): Promise<CampaignSource>;
  /** Tiles for which a server has to be asked, because no snapshot contains them. */
  tilesToAsk(campaign: Campaign, tiles: readonly Tile[]): Promise<ReadonlySet<string>>;
  /** The newest releases of a campaign's sources, by key, without reading any place file. */
  known(campaign: Campaign): Promise<ReadonlyMap<string, SnapshotRelease>>;
}

export async function openPlaces(options: OpenPlacesOptions): Promise<Places> {
  const { paths, bucket: settings, onProgress, log = silentLogger } = options;
  const { createSnapshotStore } = await import("../../sources/index.ts");
  const opened = createLazyBucket(async () => {
    const address = settings && (await locateBucket(settings, paths));
    return openBucket(address ?? `dir:${paths.resolve("bucket")}`);
  });
  const closing = new AbortController();
  const { signal } = closing;
  const [clock, random] = [systemClock, systemRandom];
  const bucket = createRetryingBucket({ bucket: opened, clock, random, signal });
  const store = createSnapshotStore(bucket, {
    ...(options.keepReleases !== undefined && { releasesMax: options.keepReleases }),
  });
  const sources = new Map<string, Promise<CampaignSource>>();
  const fetchers: AsyncDisposable[] = [];
  const tempFolder = () => {
    const folder = paths.resolve("places");
    makeFolder(folder, { mode: 0o700 });
    return folder;
  };
  /** For a file other than text, only the tiles of the campaign are imported, in one pass. */
  const cutFile = async (given: CutOptions, campaign: Campaign): Promise<SnapshotRelease> => {
    const { importPlaces, placeFileKind } = await import("./import-places.ts");
    const { cutPlaces, readArea } = await import("../../sources/index.ts");
    if ((await placeFileKind(given.file)) === "text") return await cutPlaces(given);
    const { planTiles } = await import("../../campaign/index.ts");
    const area = readArea(planTiles(campaign).map(({ tile }) => tile));
    return await importPlaces({
      ...given,
      area,
      places: { store, tempFolder },
      remote: { paths, bucket: settings },
      clock,
      signal: AbortSignal.any([signal, ...(given.signal ? [given.signal] : [])]),
    });
  };
  const openSource = async (
    folder: CampaignFolder,
    campaign: Campaign,
    key: string,
  ): Promise<CampaignSource> => {
    if (key === "overpass" && campaign.overpass) {
      const { openOverpass } = await import("./open-overpass.ts");
      const contact = campaign.politeness.contact ?? options.contact;
      const made = await openOverpass({
        settings: campaign.overpass,
        contact,
        store,
        bucket,
        clock,
        log,
      });
      fetchers.push(made.fetcher);
      return made.source;
    }
    const adapter = await import("../../sources/adapters/file/file-source.ts");
    if (campaign.imported.includes(key))
      return adapter.createImportedSource({ source: key, store });
    const { placeFileKey } = await import("../../campaign/index.ts");
    const [file, source] = [folder.sourceFile(campaign), placeFileKey(campaign)];
    if (file === undefined || source === undefined) throw noSource(campaign.name);
    return adapter.createFileSource({
      file,
      source,
      store,
      tempFolder: tempFolder(),
      ...campaign.fileOptions,
      ...(onProgress && { onProgress }),
      cut: (given) => cutFile(given, campaign),
    });
  };
  return {
    store,
    tempFolder,
    source(folder, campaign, key) {
      const { fileOptions, name, overpass, politeness } = campaign;
      const file = folder.sourceFile(campaign);
      const id = JSON.stringify(
        // One client per server: it paces the requests of this process.
        key === "overpass"
          ? [key, overpass, politeness.contact]
          : [name, key, file, fileOptions, campaign.locations],
      );
      const known = sources.get(id) ?? openSource(folder, campaign, key);
      sources.set(id, known);
      known.catch(() => sources.delete(id));
      return known;
    },
    async tilesToAsk({ overpass }, tiles) {
      if (!overpass) return new Set();
      const { overpassKey } = await import("../../sources/adapters/overpass/overpass-source.ts");
      const times = await store.newestTimes(overpassKey(overpass.url));
      const fromMs = clock.nowMs() - overpass.snapshotDays * 86_400_000;
      const ids = tiles.map(({ id }) => id);
      return new Set(ids.filter((id) => (times.get(id) ?? -Infinity) < fromMs));
    },
    async known(campaign) {
      const { placeFileKey } = await import("../../campaign/index.ts");
      const ofFile = placeFileKey(campaign);
      const keys = new Map(campaign.imported.map((name) => [name, name]));
      if (ofFile !== undefined) keys.set("file", ofFile);
      const found = new Map<string, SnapshotRelease>();
      for (const [key, source] of keys) {
        const release = await store.latest(source);
        if (release) found.set(key, release);
      }
      return found;
    },
    ...closable(async () => {
      closing.abort();
      for (const fetcher of fetchers) await fetcher[Symbol.asyncDispose]();
      await opened.close();
    }),
  };
}

const noSource = (name: string) =>
  new AppError(
    "invalid",
    "campaign_source",
    `campaign ${name} has no source: write file = "places.jsonl" under [sources] in its config.toml, ` +
      `or see ${docsPage("places.md")} for others`,
  );
