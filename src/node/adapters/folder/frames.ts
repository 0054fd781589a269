import { afterTick } from "../../../base/tick.ts";

/** A frame is its length in four bytes, then JSON. */
const lengthBytes = 4;

export interface FrameReader {
  /** Throws if a frame is too long or is not JSON: the connection must be closed then. */
  take(chunk: Uint8Array): readonly unknown[];
}

export function createFrameReader({ bytesMax }: { readonly bytesMax: number }): FrameReader {
  let chunks: Buffer[] = [];
  let buffered = 0;
  /** With fewer bytes than this there is no whole frame. */
  let needed = lengthBytes;
  return {
    take(chunk) {
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      buffered += chunk.byteLength;
      if (buffered < needed) return [];
      const found: unknown[] = [];
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      let at = 0;
      for (;;) {
        needed = lengthBytes;
        if (bytes.byteLength - at < needed) break;
        const length = bytes.readUInt32BE(at);
        if (length > bytesMax)
          throw new Error(`a frame of ${length} bytes; ${bytesMax} are allowed`);
        needed = lengthBytes + length;
        if (bytes.byteLength - at < needed) break;
        found.push(JSON.parse(bytes.toString("utf8", at + lengthBytes, at + needed)));
        at += needed;
      }
      chunks = [bytes.subarray(at)];
      buffered = bytes.byteLength - at;
      return found;
    },
  };
}

/** Throws if the message is too long to be received. */
export function encodeFrame(message: unknown, { bytesMax }: { readonly bytesMax: number }): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  if (length > bytesMax) throw new RangeError(`${length} bytes; ${bytesMax} are allowed`);
  const frame = Buffer.allocUnsafe(lengthBytes + length);
  frame.writeUInt32BE(length);
  frame.write(text, lengthBytes);
  return frame;
}

export interface FrameWriter {
  send(frame: Buffer): void;
  /** Writes at once what still waits for the end of this turn. */
  flush(): void;
}

/** Frames of one turn of the event loop become one write. */
export function createFrameWriter(write: (bytes: Buffer) => void): FrameWriter {
  let waiting: Buffer[] = [];
  const flush = () => {
    const frames = waiting;
    waiting = [];
    if (frames.length > 0) write(Buffer.concat(frames));
  };
  return {
    send(frame) {
      if (waiting.push(frame) === 1) afterTick(flush);
    },
    flush,
  };
}
