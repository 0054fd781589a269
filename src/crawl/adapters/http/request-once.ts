import type { Agent, Dispatcher } from "undici";
import type { BodySink, FetchBytes, FetchLimits } from "../../fetcher.ts";
import { BodyError, EnoughError, createUnpacker, packingOf, type Unpacker } from "../../unpack.ts";

export interface OneRequest {
  readonly agent: Agent;
  readonly url: URL;
  readonly method: "GET" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: FetchLimits;
  /** Fires when the fetch is over its time or was asked to end; its reason is what is thrown. */
  readonly signal: AbortSignal;
  readonly onSent: () => void;
  /** Told the status and headers; returns who takes the body, or undefined when nobody wants it. */
  readonly onHead: (head: Head) => BodySink | undefined;
}

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Answer extends Head {
  readonly bytes: FetchBytes;
  readonly isCut: boolean;
}

const noBytes: FetchBytes = { wire: 0, unpacked: 0 };

/** A longer body that nobody wants costs more than a new connection. */
const unwantedBytesMax = 64 * 1024;

/**
 * One request, one answer, no redirects. Rejects with what went wrong, whatever it was. Of a body
 * that nobody wants a little is read, so that its connection can be used again.
 */
export function requestOnce(request: OneRequest): Promise<Answer> {
  const { agent, url, method, headers, limits, signal } = request;
  return new Promise((resolve, reject) => {
    let control: Dispatcher.DispatchController | undefined;
    let head: Head | undefined;
    let unpacker: Unpacker | undefined;
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
          // It waited for a connection, and meanwhile nobody wants it any more.
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
              unpacker = createUnpacker({ packing: undefined, limits: few, sink: () => "more" });
              return;
            }
            const packing = packingOf(one(answered["content-encoding"]));
            if (!packing) {
              const name = one(answered["content-encoding"]) ?? "";
              throw new BodyError("bad_content", `packed as "${name.slice(0, 40)}", unasked`);
            }
            unpacker = createUnpacker({
              packing: packing === "none" ? undefined : packing,
              limits,
              sink,
            });
          } catch (error) {
            fail(error);
          }
        },
        onResponseData(controller, chunk) {
          // An empty piece is how the parser says that it was woken: holding it back wakes it again.
          if (isOver || !unpacker || chunk.length === 0) return;
          try {
            const pending = unpacker.write(chunk);
            if (!pending) return;
            controller.pause();
            pending.then(() => controller.resume(), fail);
          } catch (error) {
            fail(error);
          }
        },
        onResponseEnd() {
          const ended = unpacker?.end();
          if (ended) ended.then(() => finish(false), fail);
          else finish(false);
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

export const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
