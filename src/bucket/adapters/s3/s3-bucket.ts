import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { AppError } from "../../../base/app-error.ts";
import { closable } from "../../../base/closable.ts";
import type { Clock } from "../../../base/clock.ts";
import { createId } from "../../../base/ids.ts";
import type { Random } from "../../../base/random.ts";
import { asUnsent, unanswered } from "../../bucket-error.ts";
import {
  conditionalReferer,
  listLimitMax,
  type Bucket,
  type Got,
  type ListedObject,
  type PutOptions,
} from "../../bucket.ts";
import { checkBody, checkKey, checkListing } from "../../key.ts";
import { countRequest, type BucketOperation, type OnRequest } from "../../metered-bucket.ts";
import { createS3Caller, type S3Place } from "./s3-client.ts";
import { readFailure, translateS3Error, type S3Request } from "./s3-error.ts";

export interface S3BucketOptions {
  readonly place: S3Place;
  readonly clock: Clock;
  readonly random: Random;
  readonly requestMs?: number;
  /**
   * Called for each request beyond the one request of each call, because a meter of calls does not
   * see them.
   */
  readonly onExtraRequest?: OnRequest;
}

/** A request that the server refused because our clock is wrong; it is sent again. */
const refusedRequest = { requests: 1, failed: 1, bytesSent: 0, bytesReceived: 0, dollars: 0 };

/** The SDK does not sign this header. */
function sendReferer(command: PutObjectCommand, referer: string): void {
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers["referer"] = referer;
      return next(args);
    },
    { step: "build", name: "sendReferer" },
  );
}

/** Ceph before 20.2.1 compares If-Match with the bare ETag, and never finds the quoted one equal. */
type EtagStyle = "quoted" | "unquoted";

/**
 * Bucket on a server that speaks S3. Each call is one request and is not repeated here; the first
 * `putIfMatch` and the first `now` send additional requests. If a conditional write is answered
 * with 404 or 412, the condition did not hold. After 409, 429, 5xx or no answer, the outcome is
 * unknown.
 */
export function createS3Bucket(options: S3BucketOptions): Bucket {
  const { place, clock, random, requestMs, onExtraRequest = () => {} } = options;
  const { bucket: Bucket, prefix } = place;
  const caller = createS3Caller(place, {
    clock,
    ...(requestMs && { requestMs }),
    onRepeat: (operation) => onExtraRequest(operation, refusedRequest),
  });
  const placeName = `s3://${Bucket}`;
  let style: EtagStyle | undefined;
  let learning: Promise<EtagStyle> | undefined;

  const failed = (error: unknown, operation: S3Request["operation"], key: string) =>
    translateS3Error(error, { place: placeName, operation, key: prefix + key });

  /** The new ETag, or undefined if the condition did not hold. */
  const write = async (
    key: string,
    body: Uint8Array,
    condition: { readonly IfNoneMatch?: "*"; readonly IfMatch?: string } = {},
    { contentType, cacheControl }: PutOptions = {},
  ): Promise<string | undefined> => {
    const input = {
      Bucket,
      Key: prefix + key,
      Body: body,
      ...condition,
      ...(contentType !== undefined && { ContentType: contentType }),
      ...(cacheControl !== undefined && { CacheControl: cacheControl }),
    };
    const operation = condition.IfMatch
      ? "putIfMatch"
      : condition.IfNoneMatch
        ? "putIfAbsent"
        : "put";
    try {
      const command = new PutObjectCommand(input);
      if (operation !== "put") sendReferer(command, conditionalReferer);
      const { output } = await caller.send(operation, (client, abortSignal) =>
        client.send(command, { abortSignal }),
      );
      if (output.ETag) return output.ETag;
    } catch (error) {
      const { status, name } = readFailure(error);
      const isRefused = status === 412 || (status === 404 && name !== "NoSuchBucket");
      if (isRefused && Object.keys(condition).length > 0) return undefined;
      throw failed(error, "put", key);
    }
    throw failed(new Error("the answer has no ETag"), "put", key);
  };

  const extra = <T>(operation: BucketOperation, send: () => Promise<T>) =>
    countRequest({ operation, onRequest: onExtraRequest }, send);
  const etagAs = (etag: string, wanted: EtagStyle) =>
    wanted === "quoted" ? etag : etag.replaceAll('"', "");

  /**
   * Tries both styles on an object of its own, because a 412 alone does not say whether the style
   * or the ETag is wrong.
   */
  const learn = async (): Promise<EtagStyle> => {
    const key = `probe/etag-${createId(random)}`;
    const body = (step: number) => Buffer.from(`${key} ${step}`);
    const etag = await extra("put", () => write(key, body(0)));
    try {
      for (const tried of ["quoted", "unquoted"] as const) {
        const IfMatch = etagAs(etag!, tried);
        if (await extra("putIfMatch", () => write(key, body(1), { IfMatch }))) return tried;
      }
    } finally {
      await extra("delete", () => remove(key));
    }
    const message = `${placeName} accepts no If-Match: it cannot store objects that several nodes change`;
    throw new AppError("invalid", "bucket_unsupported", message);
  };
  const learntStyle = async (): Promise<EtagStyle> => {
    learning ??= learn();
    try {
      return (style = await learning);
    } catch (error) {
      learning = undefined; // after a failure, the next call tries again
      throw asUnsent(error); // the actual write was not sent
    }
  };

  const remove = async (key: string) => {
    try {
      const input = { Bucket, Key: prefix + key };
      await caller.send("delete", (client, abortSignal) =>
        client.send(new DeleteObjectCommand(input), { abortSignal }),
      );
    } catch (error) {
      const { status, name } = readFailure(error);
      if (status === 404 && name !== "NoSuchBucket") return;
      throw failed(error, "delete", key);
    }
  };

  const list: Bucket["list"] = async (keyPrefix, listing = {}) => {
    checkListing(keyPrefix, listing);
    const { startAfter = "", limit = listLimitMax } = listing;
    const input = {
      Bucket,
      Prefix: prefix + keyPrefix,
      MaxKeys: limit,
      ...(startAfter !== "" && { StartAfter: prefix + startAfter }),
    };
    try {
      const { output } = await caller.send("list", (client, abortSignal) =>
        client.send(new ListObjectsV2Command(input), { abortSignal }),
      );
      return (output.Contents ?? []).map(
        ({ Key = "", ETag = "", Size = 0, LastModified }): ListedObject => ({
          key: Key.slice(prefix.length),
          etag: ETag,
          bytes: Size,
          modifiedAtMs: LastModified?.getTime() ?? 0,
        }),
      );
    } catch (error) {
      throw failed(error, "list", keyPrefix);
    }
  };

  return {
    async get(key, { ifNoneMatch } = {}): Promise<Got> {
      checkKey(key);
      const input = { Bucket, Key: prefix + key, ...(ifNoneMatch && { IfNoneMatch: ifNoneMatch }) };
      try {
        const { output, dateMs } = await caller.send("get", async (client, abortSignal) => {
          const answer = await client.send(new GetObjectCommand(input), { abortSignal });
          return { ...answer, bytes: await answer.Body!.transformToByteArray() };
        });
        const { ETag: etag, LastModified, bytes: body } = output;
        if (!etag || !LastModified || dateMs === undefined) {
          throw new Error("the answer has no ETag, Last-Modified or Date");
        }
        const modifiedAtMs = LastModified.getTime();
        return { status: "found", body, etag, modifiedAtMs, seenAtMs: dateMs };
      } catch (error) {
        const { status, name } = readFailure(error);
        if (status === 304) return { status: "unchanged" };
        if (status === 404 && name !== "NoSuchBucket") return { status: "absent" };
        throw failed(error, "get", key);
      }
    },
    async putIfAbsent(key, body) {
      checkBody(key, body);
      const etag = await write(key, body, { IfNoneMatch: "*" });
      return etag === undefined ? { status: "exists" } : { status: "created", etag };
    },
    async putIfMatch(key, body, expected) {
      checkBody(key, body);
      // `*` would match any content, and no server gives such an ETag.
      if (!/^(?:W\/)?"[!#-~]+"$/.test(expected)) return { status: "stale" };
      const IfMatch = etagAs(expected, style ?? (await learntStyle()));
      const etag = await write(key, body, { IfMatch });
      return etag === undefined ? { status: "stale" } : { status: "written", etag };
    },
    async put(key, body, options) {
      checkBody(key, body);
      return { etag: (await write(key, body, {}, options))! };
    },
    async delete(key) {
      checkKey(key);
      await remove(key);
    },
    list,
    async now() {
      if (!caller.storeClock.at(clock.monotonicMs())) {
        await extra("list", () => list("probe/", { limit: 1 }));
      }
      const time = caller.storeClock.at(clock.monotonicMs());
      if (!time) throw unanswered(placeName, "its answers have no Date");
      return time;
    },
    traits: () => ({ place: `${placeName}/${prefix}`, ...(style && { etags: style }) }),
    ...closable(async () => caller[Symbol.dispose]()),
  };
}
