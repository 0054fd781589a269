/**
 * Gets one document from the web. Every adapter passes `fetcherSuite`. Throughout:
 * - no request goes out that `beforeRequest` was not asked about: redirects, HEAD, robots.txt,
 *   sitemaps and the parts of a page in a browser alike;
 * - no connection is made to an address that is not public, unless a setting allows it: the address
 *   that was judged is the one that is connected to, whatever the name resolves to a moment later;
 * - everything has a limit: time, bytes on the wire and unpacked, headers, redirects;
 * - whatever a site does is an outcome, never a throw. Only `found` has a body, so that nothing
 *   else can be taken for a page. A signal that fires throws an `aborted` AppError;
 * - what is not 2xx is no page: `failed` with its status.
 */
export interface Fetcher extends AsyncDisposable {
  fetch(request: FetchRequest): Promise<FetchOutcome>;
}

export interface FetchRequest {
  readonly url: string;
  /** Default GET. HEAD is found with an empty body. */
  readonly method?: "GET" | "HEAD";
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<FetchLimits>;
  /** What an earlier answer said of itself: with it a site can say that nothing has changed. */
  readonly known?: Validators | undefined;
  /** Default: what a reader of pages takes. */
  readonly accept?: string;
  /** Content types that are wanted; the body of any other is not read. Default: all. */
  readonly types?: readonly string[];
  /**
   * Asked before every request, and waited for: the place for robots.txt and for the host's pace.
   * "stop" ends the fetch with `stopped`, before the request.
   */
  readonly beforeRequest?: ((hop: Hop) => Promise<"go" | "stop"> | "go" | "stop") | undefined;
  /** A request's headers are being written now. */
  readonly onSent?: ((hop: Hop) => void) | undefined;
  /**
   * The head of its answer is here, so that the site has had the request for certain. A gap that is
   * counted from here holds by the site's own clock too, whatever lay in between.
   */
  readonly onAnswered?: ((hop: Hop) => void) | undefined;
  /**
   * Takes the unpacked body in pieces instead of `found.body`, which then is empty. "enough" ends
   * the transfer: found, and cut. A promise is waited for before the next piece; what arrives
   * meanwhile is kept, up to `bytesMax`.
   */
  readonly onBody?: BodySink | undefined;
}

/** What whoever paces requests hands through to each of them. */
export type RequestHooks = Pick<
  FetchRequest,
  "signal" | "limits" | "beforeRequest" | "onSent" | "onAnswered"
>;

export type BodySink = (chunk: Uint8Array) => Wish | Promise<Wish>;
export type Wish = "more" | "enough";

export interface Hop {
  readonly url: string;
  /** 0 is the URL that was asked for, then its redirects. */
  readonly number: number;
  readonly method: "GET" | "HEAD";
  /** A part is what a page in a browser loads: scripts, styles, data. */
  readonly purpose: "page" | "part";
}

export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface FetchLimits {
  /** Everything together, with redirects and waiting for `beforeRequest`. */
  readonly totalMs: number;
  /** From a request's last byte to the end of the answer's headers. */
  readonly headersMs: number;
  /** Without a byte of the body. */
  readonly idleMs: number;
  /** Of the body, as it is sent and as it is unpacked. */
  readonly bytesMax: number;
  /** Unpacked to packed, once a mebibyte was unpacked. HTML is packed about 1:10, at most 1:50. */
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
  /** The URLs that redirected, first the one asked for; empty without redirects. */
  readonly hops: readonly string[];
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  /** `onBody` had enough before the end. */
  readonly isCut: boolean;
  /** Scripts have changed it: what the site says of the page as it sends it holds for no more than that. */
  readonly isRendered?: boolean;
  readonly bytes: FetchBytes;
}

export interface NotModified {
  readonly kind: "not_modified";
  readonly url: string;
  readonly hops: readonly string[];
}

/** `beforeRequest` said stop: `url` was not requested. */
export interface Stopped {
  readonly kind: "stopped";
  readonly url: string;
  readonly hops: readonly string[];
  /** Of the redirect that led there, where one did. */
  readonly status?: number;
}

export interface FetchFailed {
  readonly kind: "failed";
  readonly reason: FailureReason;
  /** For people: what happened, to what. */
  readonly message: string;
  /** Where it happened. */
  readonly url: string;
  readonly hops: readonly string[];
  /** Of the answer, where there was one. */
  readonly status?: number;
  /** What Retry-After asked for, where it did. */
  readonly retryAfterMs?: number;
}

export interface FetchBytes {
  readonly wire: number;
  readonly unpacked: number;
}

/** What a reader of pages wants. */
export const pageTypes = ["text/html", "application/xhtml+xml", "text/plain", "application/xml"];

export const failureReasons = [
  "bad_url", // not http or https, or no URL at all
  "dns", // its name has no address
  "private_address", // it would have led into a private network
  "refused", // nobody listens there
  "reset", // the connection broke
  "timeout",
  "tls", // a certificate that cannot be trusted, or no common protocol
  "bad_response", // what came is no HTTP
  "headers_too_large",
  "too_large",
  "bomb", // unpacks to many times its size
  "bad_content", // cannot be unpacked
  "other_type", // a film, a picture, a download: not what was asked for
  "too_many_redirects",
  "redirect_loop",
  "bad_redirect", // to no URL, or to none of http or https
  "blocked", // 401, 403, 429, 503: it does not want us, or not now
  "status", // any other answer that is not 2xx
  "browser", // the browser could not render it
] as const;

export type FailureReason = (typeof failureReasons)[number];

/** A failure in one word, for counting and for records: an HTTP status such as `http_403`, or the reason. */
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

/** Trying the same again, later, may end otherwise. */
export function isTemporary({ reason, status = 0 }: FetchFailed): boolean {
  if (reason === "blocked") return status === 429 || status === 503;
  return reason === "status" ? status >= 500 : temporary.has(reason);
}
