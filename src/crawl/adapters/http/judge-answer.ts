import type { FetchFailed, FailureReason, FetchFound, NotModified } from "../../fetcher.ts";
import { parseRetryAfter } from "../../retry-after.ts";
import { one, type HttpAnswer, type HttpHead } from "./request-once.ts";

/** The position in a chain of redirects. */
export interface RedirectPlace {
  readonly url: string;
  readonly hops: readonly string[];
}

interface Moved {
  readonly kind: "moved";
  readonly location: string;
  readonly status: number;
}

const statusesBlocked = new Set([401, 403, 429, 503]);
const statusesMoved = new Set([301, 302, 303, 307, 308]);

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A missing content type counts as wanted. */
export function isWantedType({ headers }: HttpHead, types: readonly string[] | undefined): boolean {
  const type = one(headers["content-type"])?.split(";", 1)[0]!.trim().toLowerCase();
  return !types || !type || types.includes(type);
}

export interface JudgeContext {
  readonly at: RedirectPlace;
  readonly types: readonly string[] | undefined;
  readonly body: () => Uint8Array;
  readonly nowMs: number;
}

/** Decides what an answer means for the fetch. */
export function judgeAnswer(
  answer: HttpAnswer,
  { at, types, body, nowMs }: JudgeContext,
): FetchFound | NotModified | FetchFailed | Moved {
  const { status, headers, bytes, isCut } = answer;
  if (isSuccess(status)) {
    if (!isWantedType(answer, types)) {
      const type = one(headers["content-type"])!.slice(0, 60);
      return failedAt(at, "other_type", `is ${type}`, { status });
    }
    const etag = one(headers["etag"]);
    const lastModified = one(headers["last-modified"]);
    return {
      kind: "found",
      status,
      ...at,
      contentType: one(headers["content-type"]),
      body: body(),
      isCut,
      bytes,
      ...(etag && { etag }),
      ...(lastModified && { lastModified }),
    };
  }
  if (status === 304) return { kind: "not_modified", ...at };
  const location = one(headers["location"]);
  if (statusesMoved.has(status) && location) return { kind: "moved", location, status };
  const message = `answered ${status}`;
  if (!statusesBlocked.has(status)) return failedAt(at, "status", message, { status });
  const retryAfterMs = parseRetryAfter(one(headers["retry-after"]), nowMs);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return failedAt(at, "blocked", message, { status, ...wait });
}

export const failedAt = (
  { url, hops }: RedirectPlace,
  reason: FailureReason,
  message: string,
  more: Pick<FetchFailed, "status" | "retryAfterMs"> = {},
): FetchFailed => ({ kind: "failed", reason, message: `${url}: ${message}`, url, hops, ...more });
