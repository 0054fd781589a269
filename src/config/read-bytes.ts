import { createReadStream } from "node:fs";

/** A whole file; undefined if it is longer than `bytesMax`, of which no more is then read. */
export async function readBytes(file: string, bytesMax: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // `end` is inclusive: one byte more than allowed tells "too long" from "just fits".
  for await (const chunk of createReadStream(file, { end: bytesMax })) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
  }
  return size > bytesMax ? undefined : Buffer.concat(chunks);
}
