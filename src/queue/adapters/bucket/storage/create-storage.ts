import { AppError } from "../../../../base/app-error.ts";
import { formats, isReadable, markOf, type FormatMark } from "../../../../base/text/formats.ts";
import { createId } from "../../../../base/ids.ts";
import type { Random } from "../../../../base/random.ts";
import { isUnavailable, type Bucket, type SharedCodec } from "../../../../bucket/index.ts";
import type { QueueFormat } from "../../../queue-store.ts";
import { emptyShard } from "../../../model/shard.ts";
import type { ShardHead } from "../head/head.ts";
import type { QueueKeys } from "./queue-keys.ts";

/** Says that a queue was created, and with which settings. From then on every shard must exist. */
export interface QueueManifest {
  /** The highest format that its shards may have. Raised by `finishUpgrade`, never lowered. */
  readonly format: number;
  readonly queueId: string;
  readonly shards: number;
}

export interface CreateStorageOptions {
  readonly bucket: Bucket;
  readonly place: QueueKeys;
  readonly random: Random;
  readonly codec: SharedCodec<ShardHead>;
  /** Undefined: as the queue has it, or 1 for a new queue. */
  readonly shards: number | undefined;
  readonly mustExist: boolean;
}

const triesMax = 6;

/**
 * Opens the storage of a queue and creates it if it does not exist: the shards first, the manifest
 * last. If several nodes create it at once, the first shard decides, because it contains all
 * settings.
 */
export async function openStorage(options: CreateStorageOptions): Promise<QueueManifest> {
  const { bucket, place, shards, mustExist } = options;
  const found = await bucket.get(place.manifest);
  if (found.status !== "found" && mustExist) {
    const message = `there is no queue at ${place.manifest} yet: the first task creates it`;
    throw new AppError("invalid", "no_queue", message);
  }
  const manifest =
    found.status === "found"
      ? readManifest(found.body, place.manifest)
      : await createStorage(options);
  if (shards !== undefined && shards !== manifest.shards) {
    throw new AppError(
      "invalid",
      "queue_shards_fixed",
      `the queue at ${place.manifest} has ${manifest.shards} shard(s), not ${shards}: their number ` +
        `is fixed when a queue is made. Leave it out, or give a new queue another prefix`,
    );
  }
  return manifest;
}

async function createStorage(options: CreateStorageOptions): Promise<QueueManifest> {
  const { bucket, place, random, codec, shards = 1 } = options;
  const format = formats.queueManifest.newest;
  const initial: QueueManifest = { format, queueId: createId(random), shards };
  const first = await createHead(options, initial, 0);
  const manifest: QueueManifest = { format, queueId: first.queueId, shards: first.shards };
  for (let index = 1; index < manifest.shards; index++) {
    const head = await createHead(options, manifest, index);
    if (head.queueId !== manifest.queueId) throw foreign(place.shard(index));
  }
  const body = Buffer.from(`${JSON.stringify({ ...markOf(format), ...manifest })}\n`);
  return readManifest(await settle(bucket, place.manifest, body), place.manifest);

  async function createHead(
    at: CreateStorageOptions,
    of: QueueManifest,
    index: number,
  ): Promise<ShardHead> {
    const key = at.place.shard(index);
    const shard = { ...emptyShard(), nextId: of.shards + index };
    const start = {
      version: 0,
      atMs: 0,
      logs: [],
      archived: [],
      log: [],
      keptKeys: [],
      control: 0,
    };
    const value: ShardHead = { queueId: of.queueId, index, shards: of.shards, ...start, shard };
    const body = codec.encode({ format: 1, commits: {}, value });
    return codec.decode(await settle(bucket, key, body), key).value;
  }
}

/**
 * Reads and finishes the upgrade of a queue. Programs of several versions may call it at the same
 * time.
 */
export function createManifestFormat(
  { bucket, place }: Pick<CreateStorageOptions, "bucket" | "place">,
  opened: QueueManifest,
) {
  const { newest } = formats.queueManifest;
  let known = opened.format;
  const look = async () => {
    const got = await bucket.get(place.manifest);
    if (got.status !== "found") throw lostAgain(place.manifest);
    const manifest = readManifest(got.body, place.manifest);
    known = manifest.format;
    return { manifest, etag: got.etag };
  };
  const current = (): QueueFormat => ({ format: Math.max(known, newest), readableBy: known });
  return {
    /** Sends no request once the upgrade is finished. */
    async isFinished(): Promise<boolean> {
      if (known < newest) await look();
      return known >= newest;
    },
    async read(): Promise<QueueFormat> {
      await look();
      return current();
    },
    async finish(): Promise<QueueFormat> {
      for (let attempt = 1; ; attempt++) {
        const { manifest, etag } = await look();
        if (manifest.format >= newest) return current();
        const body = Buffer.from(`${JSON.stringify({ ...manifest, ...markOf(newest) })}\n`);
        try {
          await bucket.putIfMatch(place.manifest, body, etag);
        } catch (error) {
          if (!isUnavailable(error) || attempt === triesMax) throw error;
        }
        if (attempt === triesMax) throw lostAgain(place.manifest);
      }
    },
  };
}

/** Creates an object, or returns the one that another node created. */
async function settle(bucket: Bucket, key: string, body: Uint8Array): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { status } = await bucket.putIfAbsent(key, body);
      if (status === "created") return body;
      const got = await bucket.get(key);
      if (got.status === "found") return got.body;
      if (attempt === triesMax) throw lostAgain(key);
    } catch (error) {
      if (!isUnavailable(error) || attempt === triesMax) throw error;
    }
  }
}

function readManifest(body: Uint8Array, key: string): QueueManifest {
  let found: (Partial<Record<keyof QueueManifest, unknown>> & FormatMark) | undefined;
  try {
    found = JSON.parse(Buffer.from(body).toString()) as typeof found;
  } catch {
    // handled below, like JSON of another format
  }
  const isOurs = isReadable("queueManifest", found, key);
  const { format, queueId, shards } = found ?? {};
  if (isOurs && typeof queueId === "string" && Number.isInteger(shards)) {
    return { format: format as number, queueId, shards: shards as number };
  }
  throw new AppError(
    "corrupt",
    "queue_manifest_corrupt",
    `${key} is not the manifest of a queue: something else writes to this bucket; nothing was ` +
      `changed. Give the queue another prefix`,
  );
}

const foreign = (key: string) =>
  new AppError(
    "corrupt",
    "queue_shard_foreign",
    `${key} belongs to another queue than the shards before it: parts of two queues are at this ` +
      `prefix. Give the queue another one`,
  );

const lostAgain = (key: string) =>
  new AppError(
    "unavailable",
    "bucket_unavailable",
    `${key} was written and is not there: try again`,
  );
