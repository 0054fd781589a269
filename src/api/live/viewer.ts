import type { LiveEvent, LiveTopic } from "../contract/event-routes.ts";

/** One connection that watches topics. Its memory is bounded, however slowly it reads. */
export interface Viewer {
  readonly topics: readonly LiveTopic[];
  readonly user: string;
  /** Topics whose value has not been sent yet; no deltas are sent for these. */
  readonly awaiting: Set<LiveTopic>;
  readonly stream: ReadableStream<Uint8Array>;
  send(event: LiveEvent, id?: string): void;
  /** Sends a comment, so that both sides notice a dead connection. */
  ping(): void;
  end(): void;
}

export interface ViewerOptions {
  readonly topics: readonly LiveTopic[];
  readonly user: string;
  readonly nowMs: () => number;
  /**
   * Called if the viewer reads too slowly and its waiting events were dropped: it needs new
   * snapshots.
   */
  readonly onLost: () => void;
  readonly onGone: () => void;
}

/** Maximum bytes in the stream that the connection has not sent yet. */
const streamBytes = 64 * 1024;
/** Maximum bytes that wait until the stream has room. */
const waitingBytesMax = 512 * 1024;
const stuckMsMax = 60_000;

const encoder = new TextEncoder();

export function createViewer(options: ViewerOptions): Viewer {
  const { topics, user, nowMs, onLost, onGone } = options;
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let isOver = false;
  let isLost = false;
  let stuckSinceMs: number | undefined;
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;

  const leave = () => {
    if (isOver) return;
    isOver = true;
    waiting.length = 0;
    onGone();
  };
  const flush = () => {
    if (isLost) {
      isLost = false;
      onLost();
    }
    while (waiting.length > 0 && controller.desiredSize! > 0) {
      const bytes = waiting.shift()!;
      waitingBytes -= bytes.byteLength;
      controller.enqueue(bytes);
    }
    if (waiting.length === 0) stuckSinceMs = undefined;
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => void (controller = given),
      pull: flush,
      cancel: leave,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: streamBytes }),
  );
  const write = (text: string) => {
    if (isOver || isLost) return;
    const bytes = encoder.encode(text);
    if (waiting.length === 0 && controller.desiredSize! > 0) return controller.enqueue(bytes);
    stuckSinceMs ??= nowMs();
    waiting.push(bytes);
    waitingBytes += bytes.byteLength;
    if (waitingBytes <= waitingBytesMax || waiting.length === 1) return;
    waiting.length = 0;
    waitingBytes = 0;
    isLost = true;
  };
  const end = () => {
    if (isOver) return;
    leave();
    controller.close();
  };
  return {
    topics,
    user,
    awaiting: new Set(topics),
    stream,
    send(event, id) {
      write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`);
    },
    ping() {
      if (stuckSinceMs !== undefined && nowMs() - stuckSinceMs > stuckMsMax) return end();
      if (!isLost && waiting.length === 0) write(": still here\n\n");
    },
    end,
  };
}
