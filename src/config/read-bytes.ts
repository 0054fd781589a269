import { createReadStream } from "node:fs";

/** Reads a whole file. Returns undefined, and stops reading, if it is longer than `bytesMax`. */
export async function readBytes(file: string, bytesMax: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // `end` is inclusive, so this reads up to one byte more than allowed, which shows that the file
  // is too long.
  for await (const chunk of createReadStream(file, { end: bytesMax })) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
  }
  return size > bytesMax ? undefined : Buffer.concat(chunks);
}
