import { GetObjectCommand } from "@aws-sdk/client-s3";
import type { Clock } from "../../../base/clock.ts";
import { createS3Caller, type S3Place } from "./s3-client.ts";
import { readFailure, translateS3Error } from "./s3-error.ts";

/**
 * Reads parts of one object of any size. It is not part of the Bucket port, because only S3 has
 * objects that large.
 */
export interface S3ObjectParts extends Disposable {
  /**
   * The last bytes of the object, its size and its ETag. Undefined if the object does not exist.
   */
  tail(bytes: number): Promise<ObjectTail | undefined>;
  /**
   * The bytes from `from` to before `to`. Undefined if the object does not exist any more or has
   * another ETag.
   */
  read(part: ObjectPart): Promise<Buffer | undefined>;
}

export interface ObjectTail {
  readonly size: number;
  readonly bytes: Buffer;
  readonly etag: string;
}

export interface ObjectPart {
  readonly from: number;
  readonly to: number;
  readonly etag: string;
}

export function openS3Object(place: S3Place, key: string, clock: Clock): S3ObjectParts {
  const caller = createS3Caller(place, { clock });
  const input = { Bucket: place.bucket, Key: place.prefix + key };
  const get = async (range: string) => {
    try {
      const { output } = await caller.send("get", async (client, abortSignal) => {
        const command = new GetObjectCommand({ ...input, Range: range });
        const answer = await client.send(command, { abortSignal });
        const body = Buffer.from((await answer.Body?.transformToByteArray()) ?? []);
        return { ...answer, body };
      });
      return output;
    } catch (error) {
      const { status, name } = readFailure(error);
      if (status === 404 && name !== "NoSuchBucket") return undefined;
      throw translateS3Error(error, { place: `s3://${place.bucket}`, operation: "get", key });
    }
  };
  return {
    async tail(bytes) {
      const got = await get(`bytes=-${bytes}`);
      const size = Number(/\/(\d+)$/.exec(got?.ContentRange ?? "")?.[1]);
      if (!got || !Number.isSafeInteger(size)) return undefined;
      return { size, bytes: got.body, etag: got.ETag ?? "" };
    },
    async read({ from, to, etag }) {
      // Compares the ETag itself instead of using If-Match, because stores differ in whether the
      // ETag must be quoted.
      const got = await get(`bytes=${from}-${to - 1}`);
      return got?.ETag === etag ? got.body : undefined;
    },
    [Symbol.dispose]: () => caller[Symbol.dispose](),
  };
}
