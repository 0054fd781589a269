import type { Bucket } from "../bucket.ts";

export type BucketClause = (title: string, check: (at: BucketFixture) => Promise<void>) => void;

export interface BucketFixture {
  readonly bucket: Bucket;
  readonly another: () => Promise<Bucket>;
}

export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

/** The text of an object that must exist. */
export async function textOf(bucket: Bucket, key: string): Promise<string> {
  const got = await bucket.get(key);
  if (got.status !== "found") throw new Error(`${key} is ${got.status}`);
  return Buffer.from(got.body).toString();
}
