import type { Agent, Dispatcher } from "undici";
import type { BodySink, FetchBytes, FetchLimits } from "../../fetcher.ts";
import { createBodyFeed, type BodyFeed } from "../../body-feed.ts";
import { BodyError, EnoughError, createUnpacker, packingOf, type Unpacker } from "../../unpack.ts";

export interface OneRequest {
  readonly agent: Agent;
  readonly url: URL;
  readonly method: "GET" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: FetchLimits;
  /** Fires when the fetch has timed out or was aborted. Its reason is thrown. */
  readonly signal: AbortSignal;
  readonly onSent: () => void;
  /**
   * Receives status and headers; returns the receiver of the body, or undefined if the body is not
   * needed.
   */
  readonly onHead: (head: HttpHead) => BodySink | undefined;
}

export interface HttpHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface HttpAnswer extends HttpHead {
  readonly bytes: FetchBytes;
  readonly isCut: boolean;
}

const noBytes: FetchBytes = { wire: 0, unpacked: 0 };

/** Reading a longer body that is not needed costs more than a new connection. */
const unwantedBytesMax = 64 * 1024;

/**
 * One request, one answer, no redirects. Rejects with the original error. Of a body that is not
 * needed a little is read, so that its connection can be used again. Undici's parser is never
 * paused: see `createBodyFeed`.
 */
export function requestOnce(request: OneRequest): Promise<HttpAnswer> {
  const { agent, url, method, headers, limits, signal } = request;
  return new Promise((resolve, reject) => {
    let control: Dispatcher.DispatchController | undefined;
    let head: HttpHead | undefined;
    let unpacker: Unpacker | undefined;
    let feed: BodyFeed | undefined;
    let isOver = false;
    let isUnwanted = false;

    const bytes = (): FetchBytes =>
      unpacker ? { wire: unpacker.wireBytes, unpacked: unpacker.unpackedBytes } : noBytes;
    const settle = (): boolean => {
      if (isOver) return false;
      isOver = true;
      signal.removeEventListener("abort", onAbort);
      return true;
    };
    const finish = (isCut: boolean) => {
      if (settle()) resolve({ ...head!, bytes: bytes(), isCut });
    };
    const fail = (error: unknown) => {
      unpacker?.close();
      if (error instanceof EnoughError || isUnwanted) finish(true);
      else if (settle()) reject(error as Error);
      if (control && !control.aborted) control.abort(error as Error);
    };
    const onAbort = () => fail(signal.reason);
    const takeBody = (opened: Unpacker, bytesMax: number) => {
      unpacker = opened;
      feed = createBodyFeed({ unpacker, bytesMax, onEnd: () => finish(false), onError: fail });
    };
    signal.addEventListener("abort", onAbort, { once: true });

    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: headers as Record<string, string>,
        headersTimeout: limits.headersMs,
        bodyTimeout: limits.idleMs,
      },
      {
        onRequestStart(controller) {
          control = controller;
          // It waited for a connection, and was aborted meanwhile.
          if (isOver) return controller.abort(signal.reason as Error);
          request.onSent();
        },
        onResponseStart(_, status, answered) {
          if (status < 200 || isOver) return;
          head = { status, headers: answered };
          try {
            const sink = request.onHead(head);
            if (!sink) {
              isUnwanted = true;
              const few = { bytesMax: unwantedBytesMax, ratioMax: Infinity };
              const none = createUnpacker({ packing: undefined, limits: few, sink: () => "more" });
              return takeBody(none, few.bytesMax);
            }
            const packing = packingOf(one(answered["content-encoding"]));
            if (!packing) {
              const name = one(answered["content-encoding"]) ?? "";
              throw new BodyError("bad_content", `packed as "${name.slice(0, 40)}", unasked`);
            }
            const opened = createUnpacker({
              packing: packing === "none" ? undefined : packing,
              canLackEnd: isFramed(head),
              limits,
              sink,
            });
            takeBody(opened, limits.bytesMax);
          } catch (error) {
            fail(error);
          }
        },
        onResponseData(_, chunk) {
          if (!isOver && chunk.length > 0) feed?.write(chunk);
        },
        onResponseEnd() {
          if (feed) feed.end();
          else finish(false);
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

/**
 * Whether the answer says how long its body is. Otherwise the end of the connection is the body's
 * end.
 */
const isFramed = ({ headers }: HttpHead): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

export const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
