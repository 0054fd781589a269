import { failureCode, type Fetcher, type FetchOutcome, type RequestHooks } from "../fetcher.ts";
import { parseRobots, robotsAllowAll, robotsBytesMax, robotsDisallowAll } from "./parse-robots.ts";
import type { Robots } from "./parse-robots.ts";

/** What is known about an origin's robots.txt. Plain data: it can be stored and sent. */
export interface RobotsNote {
  /**
   * "read": the file exists. "absent": a 4xx, so everything is allowed. "unreachable": a 5xx or no
   * answer, so nothing is allowed until it answers.
   */
  readonly state: "read" | "absent" | "unreachable";
  readonly robots: Robots;
  readonly atMs: number;
  /** Why it is unreachable, for people. */
  readonly reason?: string;
  /** The reason as one word; see `failureCode`. */
  readonly failure?: string;
  /** No answer at all: no host, no connection. */
  readonly isOffline?: boolean;
}

/** Keeps notes by origin. May forget at any time. */
export interface RobotsCache {
  get(origin: string): Promise<RobotsNote | undefined>;
  put(origin: string, note: RobotsNote): Promise<void>;
}

/** The longest time that the RFC allows. */
export const robotsKeptMs = 86_400_000;
/** An unreachable file is requested again sooner. */
export const unreachableKeptMs = 3_600_000;
/** Known rules are used longer while the file is unreachable, but not for ever. */
export const staleKeptMs = 30 * 86_400_000;

export const isFresh = (note: RobotsNote, nowMs: number): boolean =>
  nowMs - note.atMs < (note.state === "unreachable" ? unreachableKeptMs : robotsKeptMs);

export interface ReadRobotsOptions {
  readonly fetcher: Fetcher;
  /** "https://example.org" */
  readonly origin: string;
  readonly token: string;
  readonly nowMs: () => number;
  readonly cache?: RobotsCache;
  /** Options for the request: signal, pace, limits. */
  readonly request?: RequestHooks;
}

/** From the cache, or with one request (and up to five redirects, which count for this origin). */
export async function readRobots(options: ReadRobotsOptions): Promise<RobotsNote> {
  const { fetcher, origin, token, nowMs, cache, request = {} } = options;
  const known = await cache?.get(origin);
  if (known && isFresh(known, nowMs())) return known;
  const chunks: Uint8Array[] = [];
  let taken = 0;
  const outcome = await fetcher.fetch({
    ...request,
    url: `${origin}/robots.txt`,
    accept: "text/plain,*/*;q=0.1",
    // Twice what is read, so that a slightly longer file is cut, not refused.
    limits: { ...request.limits, redirectsMax: 5, bytesMax: 2 * robotsBytesMax },
    onBody(chunk) {
      chunks.push(chunk);
      taken += chunk.length;
      return taken < robotsBytesMax ? "more" : "enough";
    },
  });
  const note = noteOf(outcome, Buffer.concat(chunks), { token, atMs: nowMs() });
  const isLost = note.state === "unreachable" && known?.state === "read";
  if (isLost && nowMs() - known.atMs < staleKeptMs) return known;
  await cache?.put(origin, note);
  return note;
}

/** Applies the rules of RFC 9309, 2.3.1. */
export function noteOf(
  outcome: FetchOutcome,
  body: Uint8Array,
  { token, atMs }: { readonly token: string; readonly atMs: number },
): RobotsNote {
  if (outcome.kind === "found") return { state: "read", robots: parseRobots(body, token), atMs };
  const absent: RobotsNote = { state: "absent", robots: robotsAllowAll, atMs };
  const unreachable = (why: { reason: string; failure?: string; isOffline?: boolean }) =>
    ({ state: "unreachable", robots: robotsDisallowAll, atMs, ...why }) as const;
  if (outcome.kind !== "failed")
    return unreachable({ reason: `${outcome.kind} at ${outcome.url}` });
  const { status, reason, message } = outcome;
  // "Too many requests" means a busy server, not a missing file.
  if (status !== undefined && status >= 400 && status < 500 && status !== 429) return absent;
  // By the RFC, after five redirects the file may count as absent.
  if (reason === "too_many_redirects" || reason === "redirect_loop") return absent;
  const isOffline = status === undefined;
  const failure = failureCode(outcome);
  return unreachable({ reason: message, failure, ...(isOffline && { isOffline }) });
}
