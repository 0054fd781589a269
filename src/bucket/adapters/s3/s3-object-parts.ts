import { GetObjectCommand } from "@aws-sdk/client-s3";
import type { Clock } from "../../../base/clock.ts";
import { createS3Caller, type S3Place } from "./s3-client.ts";
import { readFailure, translateS3Error } from "./s3-error.ts";

/** Reads parts of one object, of any size. It is not part of the Bucket port: only S3 has objects that large. */
export interface S3ObjectParts extends Disposable {
  /** Its last bytes, its size and its ETag. Undefined: it is not there. */
  tail(bytes: number): Promise<ObjectTail | undefined>;
  /** From `from` to before `to`. Undefined: the object is gone, or has another ETag by now. */
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
      // Not If-Match: stores differ in whether they want the ETag in quotes.
      const got = await get(`bytes=${from}-${to - 1}`);
      return got?.ETag === etag ? got.body : undefined;
    },
    [Symbol.dispose]: () => caller[Symbol.dispose](),
  };
}
