import { AppError } from "../../base/app-error.ts";
import { closable, type Closable } from "../../base/closable.ts";
import type { Clock } from "../../base/clock.ts";
import { docsPage } from "../../base/files/docs-page.ts";
import type { Random } from "../../base/random.ts";
import {
  createLazyBucket,
  createMeteredBucket,
  createPrefixedBucket,
  createRetryingBucket,
  type Bucket,
} from "../../bucket/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { HandlerOptions, PayloadSchema, RunHandler } from "../../worker/index.ts";
import { locateBucket } from "../bucket/bucket-address.ts";
import { openMeteredBucket } from "../bucket/open-bucket.ts";

/** The key prefix of every object that handlers read and write. */
export const handlersPrefix = "handlers/";

/** The `services` that `forager work` passes to the handlers of a file. */
export interface HandlerServices {
  /** The queue that the task came from. */
  readonly queue: Queue;
  /**
   * The objects of the fleet's bucket whose keys begin with `handlers/`; keys are given without
   * that prefix.
   */
  readonly bucket: HandlerBucket;
}

/** A bucket that all handlers of a process share, so none of them can close it. */
export type HandlerBucket = Omit<Bucket, keyof Closable | "traits">;

/** A handler as exported by a file for `forager work --handlers`. */
export interface FileHandler<Payload = unknown> extends HandlerOptions {
  readonly kind: string;
  /** Without a schema any payload is accepted, and its type is not checked. */
  readonly schema?: PayloadSchema<Payload>;
  readonly run: RunHandler<Payload, HandlerServices>;
}

export interface HandlerServicesOptions {
  readonly settings: Pick<Settings, "bucket" | "queue">;
  readonly paths: Pick<Paths, "resolve">;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
}

export interface HandlerServicesSource extends Closable {
  /** The services of one task; `onRequest` is called for each bucket request of its handler. */
  readonly servicesFor: (onRequest: () => void) => HandlerServices;
}

/** Closing it does not close the queue. */
export function createHandlerServices(options: HandlerServicesOptions): HandlerServicesSource {
  const { settings, paths, queue, clock, random } = options;
  const opened = createLazyBucket(async () => {
    const bucketFor = await openMeteredBucket(await addressFor(settings, paths));
    return bucketFor("handlers");
  });
  const closing = new AbortController();
  const { signal } = closing;
  const bucket = createPrefixedBucket({
    bucket: createRetryingBucket({ bucket: opened, clock, random, signal }),
    prefix: handlersPrefix,
  });
  return {
    servicesFor(onRequest) {
      let own: HandlerBucket | undefined;
      return {
        queue,
        // Created on first use, because most handlers do not need it.
        get bucket() {
          return (own ??= withoutClose(createMeteredBucket(bucket, onRequest)));
        },
      };
    },
    ...closable(async () => {
      closing.abort(); // an abandoned handler may still wait for the bucket
      await opened.close();
    }),
  };
}

const withoutClose = (bucket: Bucket): HandlerBucket => ({
  get: (key, options) => bucket.get(key, options),
  put: (key, body) => bucket.put(key, body),
  putIfAbsent: (key, body) => bucket.putIfAbsent(key, body),
  putIfMatch: (key, body, etag) => bucket.putIfMatch(key, body, etag),
  delete: (key) => bucket.delete(key),
  list: (prefix, options) => bucket.list(prefix, options),
  now: () => bucket.now(),
});

/**
 * Without `bucket.url`, it is the folder `bucket` of the data folder, but only if the queue is
 * local too. Otherwise each machine would have objects that the others do not see.
 */
async function addressFor(
  { bucket, queue }: HandlerServicesOptions["settings"],
  paths: HandlerServicesOptions["paths"],
): Promise<string> {
  const address = await locateBucket(bucket, paths);
  if (address !== undefined) return address;
  if (/^(?:sqlite|dir):/.test(queue.url)) return `dir:${paths.resolve("bucket")}`;
  throw new AppError(
    "invalid",
    "bucket_not_set",
    "handlers have no bucket: the queue may be shared with other machines, so name a bucket that " +
      `all of them reach in the setting bucket.url (see ${docsPage("guides/handler-bucket.md")})`,
  );
}
