import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { readVersion } from "../../base/version.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { RangeFile } from "../../sources/adapters/parquet/range-file.ts";
import { locateBucket } from "../bucket/bucket-address.ts";
import { openBucket, parseS3 } from "../bucket/open-bucket.ts";

export interface OpenRangeFileOptions {
  readonly paths: Pick<Paths, "resolve">;
  readonly bucket?: Settings["bucket"] | undefined;
  readonly clock: Clock;
}

/**
 * Opens a remote file by an address for which `isRemoteFile` is true. Sends no request before the
 * first read.
 */
export async function openRangeFile(
  address: string,
  options: OpenRangeFileOptions,
): Promise<RangeFile & AsyncDisposable> {
  const parts = await import("../../sources/adapters/parquet/range-file.ts");
  if (/^https?:/i.test(address)) {
    const file = parts.createHttpFile(address, `forager/${readVersion()}`);
    return { ...file, async [Symbol.asyncDispose]() {} };
  }
  const { store, key } = await objectOf(address, options);
  if (store.startsWith("s3://")) return openS3File(address, store, key, options.clock);
  return {
    ...parts.createBytesFile(address, async () => {
      await using bucket = await openBucket(store);
      const got = await bucket.get(key);
      if (got.status !== "found") throw parts.goneRemote(address, "there is no such object");
      return { body: Buffer.from(got.body), version: got.etag };
    }),
    async [Symbol.asyncDispose]() {},
  };
}

/** The bucket and the key of the object. */
async function objectOf(
  address: string,
  { paths, bucket }: OpenRangeFileOptions,
): Promise<{ readonly store: string; readonly key: string }> {
  if (address.startsWith("bucket:")) {
    const store = bucket && (await locateBucket(bucket, paths));
    return {
      store: store ?? `dir:${paths.resolve("bucket")}`,
      key: address.slice("bucket:".length),
    };
  }
  const url = new URL(address);
  const key = decodeURIComponent(url.pathname).replace(/^\//, "");
  url.pathname = "";
  if (key !== "") return { store: url.href, key };
  const words = `'${address}' does not name an object: write s3://BUCKET/KEY`;
  throw new AppError("invalid", "places_file", words);
}

async function openS3File(
  name: string,
  store: string,
  key: string,
  clock: Clock,
): Promise<RangeFile & AsyncDisposable> {
  const { openS3Object } = await import("../../bucket/adapters/s3/s3-object-parts.ts");
  const { goneRemote, tailBytes, unreadableRemote, withRetries } =
    await import("../../sources/adapters/parquet/range-file.ts");
  const object = openS3Object(parseS3(store), key, clock);
  return {
    name,
    async tail(signal) {
      const tail = await withRetries(() => object.tail(tailBytes), signal);
      if (!tail) throw goneRemote(name, "there is no such object");
      return { size: tail.size, bytes: tail.bytes, version: tail.etag };
    },
    async range({ from, to, version }, signal) {
      const body = await withRetries(() => object.read({ from, to, etag: version }), signal);
      if (!body) throw unreadableRemote(name, "it was changed while it was read: start again");
      return body;
    },
    async [Symbol.asyncDispose]() {
      object[Symbol.dispose]();
    },
  };
}
