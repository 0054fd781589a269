/**
 * Live events of the HTTP API, for the dashboard and for programs. It runs in a browser: it imports
 * only types, and calls `fetch`.
 *
 *   const live = watchLive({ topics: ["status", "queue"], fetch, wait, onValue, onState });
 *   live.stop();
 *
 * `onValue(topic, value)` gets the complete value, at first and after each change. A lost
 * connection is reopened automatically and continues after the last event.
 */
import type { LiveEvent, LiveTopic, LiveValue } from "../contract/event-routes.ts";

export type { LiveTopic, LiveValue };

/** The part of the browser's `fetch` that is used. */
export type LiveFetch = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
) => Promise<{
  readonly ok: boolean;
  readonly status: number;
  readonly body: ReadableStream<Uint8Array> | null;
}>;

/** `refused`: the server answered and denied access; `lost`: there is no connection. */
export type LiveConnection = "open" | "lost" | "refused";

export interface WatchLiveOptions<T extends LiveTopic> {
  readonly topics: readonly T[];
  readonly fetch: LiveFetch;
  /** Resolves after this time, or rejects when the signal fires. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Default: the origin of the page. */
  readonly origin?: string;
  /** Not needed in a browser with a session. */
  readonly token?: string;
  readonly onValue: <K extends T>(topic: K, value: LiveValue<K>) => void;
  readonly onState: (state: LiveConnection) => void;
  /** Called when a topic cannot be read. */
  readonly onFault?: (topic: LiveTopic, detail: string) => void;
}

const waitMsMin = 1_000;
const waitMsMax = 30_000;
/** The server sends an event or a comment at least every 15 s. */
const silenceMsMax = 45_000;
const eventCharsMax = 50_000_000;

export function watchLive<T extends LiveTopic>(options: WatchLiveOptions<T>): { stop(): void } {
  const { topics, fetch, wait, origin = "", token, onValue, onState, onFault } = options;
  const over = new AbortController();
  const values = new Map<LiveTopic, object>();
  const query = topics.map((topic) => `topic=${topic}`).join("&");
  let lastId: string | undefined;
  let waitMs = waitMsMin;

  const take = (event: LiveEvent) => {
    if (event.kind === "reset") return values.clear();
    if (event.kind === "fault") return onFault?.(event.topic, event.detail);
    const before = values.get(event.topic);
    if (event.kind === "delta" && !before) return;
    const value = event.kind === "snapshot" ? event.value : { ...before, ...event.fields };
    values.set(event.topic, value);
    onValue(event.topic as T, value as never);
  };

  const connect = async (): Promise<LiveConnection> => {
    const connection = new AbortController();
    const signal = AbortSignal.any([over.signal, connection.signal]);
    const response = await fetch(`${origin}/api/events?${query}`, {
      headers: {
        accept: "text/event-stream",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(lastId !== undefined && { "last-event-id": lastId }),
      },
      signal,
    });
    if (!response.ok || !response.body) {
      connection.abort();
      return "refused";
    }
    onState("open");
    waitMs = waitMsMin;
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const quiet = new AbortController();
      const read = reader.read();
      const silence = wait(silenceMsMax, AbortSignal.any([signal, quiet.signal])).then(
        () => connection.abort(),
        () => {}, // data has arrived, or the watch has ended
      );
      const { done, value } = await read.finally(() => quiet.abort());
      await silence;
      if (done) return "lost";
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      if (text.length > eventCharsMax) return "lost";
      for (const block of blocks) {
        const { id, data } = fieldsOf(block);
        if (data !== "") take(JSON.parse(data) as LiveEvent);
        if (id !== undefined) lastId = id;
      }
    }
  };

  const run = async () => {
    while (!over.signal.aborted) {
      const ended = await connect().catch((): LiveConnection => "lost");
      if (over.signal.aborted) return;
      onState(ended);
      await wait(waitMs, over.signal).catch(() => {}); // the watch has ended, so the loop ends
      waitMs = Math.min(waitMsMax, waitMs * 2);
    }
  };
  void run();
  return { stop: () => over.abort() };
}

/** Parses one event: lines of `field: text`; other fields and comments are ignored. */
function fieldsOf(block: string): { readonly id: string | undefined; readonly data: string } {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return { id, data: data.join("\n") };
}
