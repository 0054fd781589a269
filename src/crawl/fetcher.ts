/**
 * Gets one document from the web. Every adapter passes `fetcherSuite`. Invariants:
 * - `beforeRequest` approves every request: also for redirects, HEAD, robots.txt, sitemaps and the
 *   parts of a page in a browser;
 * - no connection goes to a non-public address, unless a setting allows it: the connection uses the
 *   address that was checked, whatever the name resolves to a moment later;
 * - everything has a limit: time, bytes on the wire and unpacked, headers, redirects;
 * - whatever a site does is an outcome, never an exception. Only `found` has a body, so that
 *   nothing else can be taken for a page. If the signal fires, it throws an `aborted` AppError;
 * - a status other than 2xx is not a page: the outcome is `failed` with its status.
 */
export interface Fetcher extends AsyncDisposable {
  fetch(request: FetchRequest): Promise<FetchOutcome>;
}

export interface FetchRequest {
  readonly url: string;
  /** Default GET. A successful HEAD is `found` with an empty body. */
  readonly method?: "GET" | "HEAD";
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<FetchLimits>;
  /** The validators of an earlier answer: with them a site can answer that nothing has changed. */
  readonly known?: Validators | undefined;
  /** Default: the types of pages. */
  readonly accept?: string;
  /** Content types that are wanted; the body of any other type is not read. Default: all. */
  readonly types?: readonly string[];
  /**
   * Called before every request, and awaited: here robots.txt and the host's pace are checked.
   * "stop" ends the fetch with `stopped`, without the request.
   */
  readonly beforeRequest?: ((hop: Hop) => Promise<"go" | "stop"> | "go" | "stop") | undefined;
  /** Called when a request's headers are written. */
  readonly onSent?: ((hop: Hop) => void) | undefined;
  /**
   * Called when the head of the answer has arrived, so the site has certainly received the request.
   * A delay counted from here also holds by the site's clock, whatever delays the network adds.
   */
  readonly onAnswered?: ((hop: Hop) => void) | undefined;
  /**
   * Receives the unpacked body in pieces; `found.body` is empty then. "enough" ends the transfer:
   * the outcome is `found`, and cut. A promise is awaited before the next piece; what arrives
   * meanwhile is buffered, up to `bytesMax`.
   */
  readonly onBody?: BodySink | undefined;
}

/** The options that code with its own pace passes to each request. */
export type RequestHooks = Pick<
  FetchRequest,
  "signal" | "limits" | "beforeRequest" | "onSent" | "onAnswered"
>;

export type BodySink = (chunk: Uint8Array) => Wish | Promise<Wish>;
export type Wish = "more" | "enough";

export interface Hop {
  readonly url: string;
  /** 0 is the first URL; redirects follow. */
  readonly number: number;
  readonly method: "GET" | "HEAD";
  /** A part is what a page loads in a browser: scripts, styles, data. */
  readonly purpose: "page" | "part";
}

export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface FetchLimits {
  /** The whole fetch, including redirects and waiting for `beforeRequest`. */
  readonly totalMs: number;
  /** From a request's last byte to the end of the answer's headers. */
  readonly headersMs: number;
  /** The longest time without a byte of the body. */
  readonly idleMs: number;
  /** The limit of the body, as sent and as unpacked. */
  readonly bytesMax: number;
  /**
   * The largest ratio of unpacked to packed bytes, checked after one mebibyte. HTML has about 10,
   * at most 50.
   */
  readonly ratioMax: number;
  readonly redirectsMax: number;
}

export const fetchLimits: FetchLimits = {
  totalMs: 30_000,
  headersMs: 15_000,
  idleMs: 10_000,
  bytesMax: 5 * 1024 * 1024,
  ratioMax: 200,
  redirectsMax: 10,
};

export type FetchOutcome = FetchFound | NotModified | Stopped | FetchFailed;

export interface FetchFound extends Validators {
  readonly kind: "found";
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  /** The URLs that redirected, the first one first; empty without redirects. */
  readonly hops: readonly string[];
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  /** `onBody` returned "enough" before the end. */
  readonly isCut: boolean;
  /** Scripts have changed it, so the validators of the response do not describe this content. */
  readonly isRendered?: boolean;
  readonly bytes: FetchBytes;
}

export interface NotModified {
  readonly kind: "not_modified";
  readonly url: string;
  readonly hops: readonly string[];
}

/** `beforeRequest` returned "stop": `url` was not requested. */
export interface Stopped {
  readonly kind: "stopped";
  readonly url: string;
  readonly hops: readonly string[];
  /** The status of the redirect that led there, if any. */
  readonly status?: number;
}

export interface FetchFailed {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** For people: what happened, and to what. */
  readonly message: string;
  /** The URL at which it happened. */
  readonly url: string;
  readonly hops: readonly string[];
  /** The status of the answer, if there was one. */
  readonly status?: number;
  /** The delay of the Retry-After header, if there was one. */
  readonly retryAfterMs?: number;
}

export interface FetchBytes {
  readonly wire: number;
  readonly unpacked: number;
}

/** The content types of pages. */
export const pageTypes = ["text/html", "application/xhtml+xml", "text/plain", "application/xml"];

export const failureReasons = [
  "bad_url", // not http or https, or no URL at all
  "dns", // its name has no address
  "private_address", // the address is in a private network
  "refused", // no server listens there
  "reset", // the connection broke
  "timeout",
  "tls", // a certificate that cannot be trusted, or no common protocol
  "bad_response", // the answer is not HTTP
  "headers_too_large",
  "too_large",
  "bomb", // unpacks to many times its size
  "bad_content", // cannot be unpacked
  "other_type", // a type that was not asked for: a video, an image, a download
  "too_many_redirects",
  "redirect_loop",
  "bad_redirect", // not to an http or https URL
  "blocked", // 401, 403, 429, 503: the site refuses us, for good or for now
  "status", // any other answer that is not 2xx
  "browser", // the browser could not render it
] as const;

export type FailureReason = (typeof failureReasons)[number];

/**
 * A failure as one word, for counters and records: an HTTP status such as `http_403`, or the
 * reason.
 */
export function failureCode({ reason, status }: Pick<FetchFailed, "reason" | "status">): string {
  const isStatus = (reason === "blocked" || reason === "status") && (status ?? 0) >= 300;
  return isStatus ? `http_${status}` : reason;
}

const temporary: ReadonlySet<FailureReason> = new Set([
  "dns",
  "refused",
  "reset",
  "timeout",
  "browser",
]);

/** Whether a later try may succeed. */
export function isTemporary({ reason, status = 0 }: FetchFailed): boolean {
  if (reason === "blocked") return status === 429 || status === 503;
  return reason === "status" ? status >= 500 : temporary.has(reason);
}
