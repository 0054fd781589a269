import { AppError } from "../../../base/app-error.ts";
import { systemClock, type Clock } from "../../../base/clock.ts";
import { createKeyedLimiter } from "../../../base/keyed-limiter.ts";
import { parseUrl } from "../../../base/text/parse-url.ts";
import { createAddressGuard } from "../../address.ts";
import { createByteList } from "../../byte-list.ts";
import {
  fetchLimits,
  type Fetcher,
  type FetchLimits,
  type FetchOutcome,
  type FetchRequest,
  type Hop,
} from "../../fetcher.ts";
import { OutOfTimeError, reasonOf, textOfError } from "./failure.ts";
import { createGuardedLookup, privateHost, systemResolve, type Resolve } from "./guarded-lookup.ts";
import { failedAt, isSuccess, isWantedType, judgeAnswer } from "./judge-answer.ts";
import { requestOnce, type HttpAnswer } from "./request-once.ts";
import { Agent } from "./undici-parts.ts";

export interface HttpFetcherOptions {
  /** See `userAgentOf`. */
  readonly userAgent: string;
  /** Addresses that are allowed although not public. */
  readonly allowPrivateNetworks?: readonly string[];
  /** Requests at once, default 200. */
  readonly requestsMax?: number;
  /** Connections to one origin, default 1, so that a site gets one request at a time. */
  readonly connectionsPerOriginMax?: number;
  /** Default 10,000. */
  readonly connectMs?: number;
  /** Default 32 KiB. */
  readonly headerBytesMax?: number;
  /** Certificates (PEM) that are trusted in addition to the system's. */
  readonly certificates?: readonly string[];
  readonly resolve?: Resolve;
  readonly clock?: Clock;
}

const acceptPages =
  "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1";
const urlCharsMax = 2_048;

/** Fetcher over HTTP/1.1. */
export function createHttpFetcher(options: HttpFetcherOptions): Fetcher {
  const { userAgent, clock = systemClock, requestsMax = 200 } = options;
  const guard = createAddressGuard({ allow: options.allowPrivateNetworks ?? [] });
  const places = createKeyedLimiter({ limit: requestsMax, keysMax: 1, idleMs: 60_000, clock });
  const agent = new Agent({
    // We promise a site one request at a time for each connection; HTTP/2 multiplexes.
    allowH2: false,
    connections: options.connectionsPerOriginMax ?? 1,
    maxHeaderSize: options.headerBytesMax ?? 32 * 1024,
    keepAliveTimeout: 5_000,
    keepAliveMaxTimeout: 30_000,
    connect: {
      timeout: options.connectMs ?? 10_000,
      lookup: createGuardedLookup(options.resolve ?? systemResolve, guard),
      ...(options.certificates && { ca: [...options.certificates] }),
    },
  });

  async function follow(
    request: FetchRequest,
    limits: FetchLimits,
    signal: AbortSignal,
  ): Promise<FetchOutcome> {
    const hops: string[] = [];
    const seen = new Set<string>();
    const method = request.method ?? "GET";
    const headers = headersOf(request, userAgent);
    let url = urlOf(request.url);
    let moved: { status?: number } = {};
    if (!url)
      return failedAt({ url: request.url.slice(0, 200), hops }, "bad_url", "not a web address");
    for (;;) {
      const at = { url: url.href, hops };
      const host = privateHost(url, guard);
      if (host) return failedAt(at, "private_address", `${host} is not a public address`);
      const hop: Hop = { url: url.href, number: hops.length, method, purpose: "page" };
      const wish = await unlessAborted(signal, request.beforeRequest?.(hop) ?? "go");
      if (wish === "stop") return { kind: "stopped", ...at, ...moved };
      seen.add(url.href);

      const body = createBody(request);
      let answer: HttpAnswer;
      try {
        answer = await requestOnce({
          agent,
          url,
          method,
          headers,
          limits,
          signal,
          onSent: () => request.onSent?.(hop),
          onHead(head) {
            request.onAnswered?.(hop);
            return isSuccess(head.status) && isWantedType(head, request.types)
              ? body.sink
              : undefined;
          },
        });
      } catch (error) {
        const reason = reasonOf(error);
        if (signal.aborted && reason === undefined) throw error;
        return failedAt(at, reason ?? "bad_response", textOfError(error));
      }
      const judged = judgeAnswer(answer, {
        at,
        types: request.types,
        body: body.bytes,
        nowMs: clock.nowMs(),
      });
      if (judged.kind !== "moved") return judged;

      moved = { status: judged.status };
      hops.push(url.href);
      const next = urlOf(judged.location, url);
      if (!next) return failedAt(at, "bad_redirect", `led to "${judged.location.slice(0, 100)}"`);
      const there = { url: next.href, hops };
      if (seen.has(next.href)) return failedAt(there, "redirect_loop", "led back to itself");
      if (hops.length > limits.redirectsMax) {
        return failedAt(there, "too_many_redirects", `more than ${limits.redirectsMax} redirects`);
      }
      url = next;
    }
  }

  return {
    async fetch(request) {
      const { signal } = request;
      if (signal?.aborted) throw aborted(request.url, signal.reason);
      const limits = { ...fetchLimits, ...request.limits };
      const control = new AbortController();
      const onAbort = () => control.abort(aborted(request.url, signal?.reason));
      // Acquire a slot first, then wait for the pace: a request that waits for a slot after its
      // permitted time would be too late, and the next one too close to it.
      const release = places.tryAcquire("all") ?? (await places.acquire("all", { signal }));
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) onAbort();
      const timer = clock.setTimer(limits.totalMs, () =>
        control.abort(new OutOfTimeError(`took longer than ${limits.totalMs} ms`)),
      );
      try {
        return await follow(request, limits, control.signal);
      } catch (error) {
        if (!(error instanceof OutOfTimeError)) throw error;
        const { url } = request;
        const message = `${url}: ${error.message}`;
        return { kind: "failed", reason: "timeout", message, url, hops: [] };
      } finally {
        timer.cancel();
        release();
        signal?.removeEventListener("abort", onAbort);
      }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** An absolute http or https URL, without fragment and credentials. */
function urlOf(text: string, base?: URL): URL | undefined {
  const url = text.length > urlCharsMax ? undefined : parseUrl(text, base);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  url.username = "";
  url.password = "";
  url.hash = "";
  return url;
}

function headersOf({ accept, known }: FetchRequest, userAgent: string): Record<string, string> {
  return {
    "user-agent": userAgent,
    accept: accept ?? acceptPages,
    "accept-language": "*",
    "accept-encoding": "gzip, deflate, br",
    ...(known?.etag && { "if-none-match": known.etag }),
    ...(known?.lastModified && { "if-modified-since": known.lastModified }),
  };
}

function createBody({ onBody }: FetchRequest) {
  const gathered = createByteList();
  const gather = (chunk: Uint8Array): "more" => {
    gathered.push(chunk);
    return "more";
  };
  return { sink: onBody ?? gather, bytes: (): Uint8Array => gathered.concat() };
}

/** The callback may take long, but not longer than the fetch may. */
function unlessAborted<T>(signal: AbortSignal, value: T | Promise<T>): Promise<T> | T {
  if (signal.aborted) throw signal.reason as Error;
  if (!(value instanceof Promise)) return value;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    void value.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

const aborted = (url: string, cause: unknown) =>
  new AppError("aborted", "fetch_aborted", `the fetch of ${url} was ended early`, { cause });
