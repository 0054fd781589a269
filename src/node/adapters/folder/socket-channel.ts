import type { Socket } from "node:net";
import type { Channel } from "../../meeting-point.ts";
import { createFrameReader, createFrameWriter, encodeFrame } from "./frames.ts";

/** The longest message in either direction: an export page, or the largest commit as JSON. */
export const messageBytesMax = 64 * 2 ** 20;

/** A channel over a socket whose other side has proved that it knows the token. */
export function createSocketChannel(socket: Socket): Channel {
  const frames = createFrameReader({ bytesMax: messageBytesMax });
  const writer = createFrameWriter((bytes) => {
    if (socket.writable) socket.write(bytes);
  });
  const closed = new Promise<void>((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once("close", () => resolve());
  });
  socket.unref();
  return {
    send(message) {
      if (!socket.destroyed) writer.send(encodeFrame(message, { bytesMax: messageBytesMax }));
    },
    receive(onMessage) {
      socket.on("data", (chunk: Uint8Array) => {
        try {
          for (const message of frames.take(chunk)) onMessage(message);
        } catch {
          socket.destroy(); // not a message of ours: nothing that follows can be trusted
        }
      });
      socket.resume();
    },
    setPaused: (isPaused) => void (isPaused ? socket.pause() : socket.resume()),
    setWaiting: (isWaiting) => void (isWaiting ? socket.ref() : socket.unref()),
    isClosed: () => socket.destroyed,
    closed,
    close() {
      writer.flush();
      socket.end(() => socket.destroy());
    },
  };
}
