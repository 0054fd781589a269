import type { Socket } from "node:net";

/** A frame is its length in four bytes, then that many bytes. */
const lengthBytes = 4;

/**
 * Reads one frame. Throws if it is longer than `bytesMax`, or if the connection ends before its
 * end.
 */
export function readFrame(socket: Socket, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let got = 0;
    let needed = lengthBytes;
    let length: number | undefined;
    const end = (finish: () => void) => {
      socket.off("data", take);
      socket.off("close", closed);
      socket.off("error", failed);
      finish();
    };
    const failed = (error: Error) => end(() => reject(error));
    const closed = () => failed(new Error("the connection was closed"));
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      got += chunk.length;
      if (got < needed) return;
      const bytes = Buffer.concat(chunks);
      if (length === undefined) {
        length = bytes.readUInt32BE(0);
        // Checked before any of these bytes is kept.
        if (length > bytesMax) return failed(new Error(`${length} bytes were announced`));
        needed = lengthBytes + length;
      }
      chunks.splice(0, chunks.length, bytes);
      if (got > needed) return failed(new Error("more bytes came than were announced"));
      if (got === needed) end(() => resolve(bytes.subarray(lengthBytes)));
    };
    socket.on("data", take);
    socket.on("close", closed);
    socket.on("error", failed);
  });
}

/** Resolves when the system has taken all of it. */
export function writeFrame(socket: Socket, bytes: Uint8Array): Promise<void> {
  const head = Buffer.alloc(lengthBytes);
  head.writeUInt32BE(bytes.length);
  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new Error("the connection was closed")));
    socket.write(Buffer.concat([head, bytes]), (error) => (error ? reject(error) : resolve()));
  });
}
