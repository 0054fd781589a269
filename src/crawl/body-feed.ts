import { createByteList } from "./byte-list.ts";
import { BodyError, type Unpacker } from "./unpack.ts";

export interface BodyFeedOptions {
  readonly unpacker: Unpacker;
  /** The limit of the body as sent. It also limits what waits here. */
  readonly bytesMax: number;
  /** The unpacker has processed everything. */
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

export interface BodyFeed {
  write(chunk: Uint8Array): void;
  end(): void;
}

/**
 * Passes a body to an unpacker, which may be slow, without pausing the parser: what arrives
 * meanwhile waits in memory. A paused parser may see the end of the connection before the last bytes:
 * then a server that closes after its last byte looks like one that breaks off early.
 */
export function createBodyFeed({ unpacker, bytesMax, onEnd, onError }: BodyFeedOptions): BodyFeed {
  const waiting = createByteList();
  let wireBytes = 0;
  let isBusy = false;
  let isEnded = false;

  function feed(): void {
    try {
      for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
        const pending = unpacker.write(piece);
        if (!pending) continue;
        isBusy = true;
        pending.then(() => {
          isBusy = false;
          feed();
        }, onError);
        return;
      }
      if (!isEnded) return;
      const ended = unpacker.end();
      if (ended) ended.then(onEnd, onError);
      else onEnd();
    } catch (error) {
      onError(error);
    }
  }

  return {
    write(chunk) {
      wireBytes += chunk.length;
      if (wireBytes > bytesMax)
        return onError(new BodyError("too_large", `more than ${bytesMax} bytes`));
      waiting.push(chunk);
      if (!isBusy) feed();
    },
    end() {
      isEnded = true;
      if (!isBusy) feed();
    },
  };
}
