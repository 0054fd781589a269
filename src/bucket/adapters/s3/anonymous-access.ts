import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { Clock } from "../../../base/clock.ts";
import type { OnRequest } from "../../metered-bucket.ts";
import { countRequest } from "../../metered-bucket.ts";
import { createS3Caller, type S3Place } from "./s3-client.ts";
import { readFailure, translateS3Error } from "./s3-error.ts";

export interface AnonymousAccess {
  /** A client without credentials can read one of these objects. */
  readonly canRead: boolean;
  /** A client without credentials can list the names of all objects. */
  readonly canList: boolean;
}

/** Sends requests without credentials. Throws if the store does not answer. */
export async function testAnonymousAccess(
  place: S3Place,
  keys: readonly string[],
  { clock, onRequest = () => {} }: { readonly clock: Clock; readonly onRequest?: OnRequest },
): Promise<AnonymousAccess> {
  using caller = createS3Caller(place, { clock, isAnonymous: true });
  const { bucket: Bucket, prefix } = place;
  const isAllowed = async (
    operation: "get" | "list",
    key: string,
    send: Parameters<typeof caller.send>[1],
  ) => {
    try {
      await countRequest({ operation, onRequest }, () => caller.send(operation, send));
      return true;
    } catch (error) {
      const { status } = readFailure(error);
      // 404: the object does not exist or is hidden. Every other 4xx is a refusal as well.
      if (status !== undefined && status >= 400 && status < 500) return false;
      throw translateS3Error(error, { place: `s3://${Bucket}`, operation, key: prefix + key });
    }
  };
  const canRead = (key: string) =>
    isAllowed("get", key, async (client, abortSignal) => {
      const input = { Bucket, Key: prefix + key };
      const answer = await client.send(new GetObjectCommand(input), { abortSignal });
      await answer.Body?.transformToByteArray();
      return answer;
    });
  return {
    canRead: (await Promise.all(keys.map(canRead))).includes(true),
    canList: await isAllowed("list", "", (client, abortSignal) =>
      client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 }), {
        abortSignal,
      }),
    ),
  };
}
