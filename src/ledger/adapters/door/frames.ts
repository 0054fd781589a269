import type { Socket } from "node:net";
import { afterTick } from "../../../base/tick.ts";

/** A frame is its length in four bytes, then JSON. */
const lengthBytes = 4;

export interface FrameReader {
  /** Throws where a frame is longer than it may be, or is no JSON: the connection is of no use then. */
  take(chunk: Uint8Array): readonly unknown[];
}

export function createFrameReader({ bytesMax }: { readonly bytesMax: number }): FrameReader {
  let chunks: Buffer[] = [];
  let buffered = 0;
  const join = () => {
    const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    chunks = [whole];
    return whole;
  };
  /** Until there are that many bytes, it is no use to look. */
  let wanted = lengthBytes;
  return {
    take(chunk) {
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      buffered += chunk.byteLength;
      if (buffered < wanted) return [];
      const found: unknown[] = [];
      const bytes = join();
      let at = 0;
      for (;;) {
        wanted = lengthBytes;
        if (bytes.byteLength - at < wanted) break;
        const length = bytes.readUInt32BE(at);
        if (length > bytesMax)
          throw new Error(`a frame of ${length} bytes; ${bytesMax} are allowed`);
        wanted = lengthBytes + length;
        if (bytes.byteLength - at < wanted) break;
        found.push(JSON.parse(bytes.toString("utf8", at + lengthBytes, at + wanted)));
        at += wanted;
      }
      chunks = [bytes.subarray(at)];
      buffered = bytes.byteLength - at;
      return found;
    },
  };
}

export function encodeFrame(message: unknown): Buffer {
  const text = JSON.stringify(message);
  const frame = Buffer.allocUnsafe(lengthBytes + Buffer.byteLength(text));
  frame.writeUInt32BE(frame.byteLength - lengthBytes);
  frame.write(text, lengthBytes);
  return frame;
}

export interface FrameWriter {
  send(frame: Buffer): void;
  /** Sends at once what still waits for the end of this turn. */
  flush(): void;
  /** Rises with each flush: equal numbers, same bytes on their way. */
  turn(): number;
}

/** What is sent in one turn of the event loop goes out as one. */
export function createFrameWriter(socket: Socket): FrameWriter {
  let waiting: Buffer[] = [];
  let turn = 0;
  const flush = () => {
    const frames = waiting;
    waiting = [];
    turn += 1;
    if (frames.length > 0 && socket.writable) socket.write(Buffer.concat(frames));
  };
  return {
    send(frame) {
      if (waiting.push(frame) === 1) afterTick(flush);
    },
    flush,
    turn: () => turn,
  };
}
