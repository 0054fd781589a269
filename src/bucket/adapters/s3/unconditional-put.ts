import { PutObjectCommand } from "@aws-sdk/client-s3";
import type { Clock } from "../../../base/clock.ts";
import { createS3Caller, type S3Place } from "./s3-client.ts";
import { readFailure, translateS3Error } from "./s3-error.ts";

/** The MD5 of no bytes is another one. */
const wrongMd5 = Buffer.alloc(16).toString("base64");

export interface UnconditionalPut extends Disposable {
  /**
   * `written`: the store ignores the wrong MD5, and the object is there now. Do not ask for a key
   * that matters before another key was answered with something else.
   */
  ask(key: string): Promise<"allowed" | "refused" | "written">;
}

/**
 * Asks whether a user may write an object without a condition. The request has a wrong MD5, so a
 * store that allows it answers 400 and writes nothing.
 */
export function createUnconditionalPut(
  place: S3Place,
  { clock }: { readonly clock: Clock },
): UnconditionalPut {
  const caller = createS3Caller(place, { clock });
  const { bucket: Bucket, prefix } = place;
  return {
    async ask(key) {
      const input = { Bucket, Key: prefix + key, Body: new Uint8Array(), ContentMD5: wrongMd5 };
      try {
        await caller.send("put", (client, abortSignal) =>
          client.send(new PutObjectCommand(input), { abortSignal }),
        );
        return "written";
      } catch (error) {
        const { status, name } = readFailure(error);
        if (name === "BadDigest" || name === "InvalidDigest") return "allowed";
        if (status === 403 && name === "AccessDenied") return "refused";
        throw translateS3Error(error, {
          place: `s3://${Bucket}`,
          operation: "put",
          key: input.Key,
        });
      }
    },
    [Symbol.dispose]: () => caller[Symbol.dispose](),
  };
}
