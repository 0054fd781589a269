import { createRequire } from "node:module";
import type { Agent as AgentClass, Dispatcher } from "undici";
import { AppError } from "../../../base/app-error.ts";

// By file, because the package's index needs zstd of node:zlib, which Node 22.14 does not have.
const require = createRequire(import.meta.url);
const Agent = require("undici/lib/dispatcher/agent.js") as typeof AgentClass;
const request = require("undici/lib/api/api-request.js") as (
  this: Dispatcher,
  options: Dispatcher.RequestOptions,
) => Promise<Dispatcher.ResponseData>;

/** A remote file that can be read in parts. Calls throw AppError; `unavailable` may be retried. */
export interface RangeFile {
  /** Its address, for people. */
  readonly name: string;
  tail(signal?: AbortSignal): Promise<FileTail>;
  /** Bytes from the beginning of the range; fewer, or none, if the connection broke. */
  range(part: FilePart, signal?: AbortSignal): Promise<Buffer>;
}

export interface FileTail {
  readonly size: number;
  /** Its last eight bytes. */
  readonly bytes: Buffer;
  /** Identifies the content. */
  readonly version: string;
}

export interface FilePart {
  readonly from: number;
  /** The position after the last byte. */
  readonly to: number;
  /** It is an error if the file has another version by now. */
  readonly version: string;
}

const triesMax = 4;
const agent = new Agent();
export const tailBytes = 8;

/** A file on a server that supports HTTP range requests. */
export function createHttpFile(url: string, userAgent: string): RangeFile {
  const ask = (headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined) =>
    askServer({ url, userAgent, signal }, headers);
  return {
    name: url,
    async tail(signal) {
      const answer = await ask({ range: `bytes=-${tailBytes}` }, signal);
      const size = Number(/\/(\d+)$/.exec(answer.headers["content-range"] ?? "")?.[1]);
      if (!Number.isSafeInteger(size) || answer.body.length !== tailBytes) throw noRanges(url);
      const version = answer.headers["etag"] ?? answer.headers["last-modified"] ?? String(size);
      return { size, bytes: answer.body, version };
    },
    async range({ from, to, version }, signal) {
      const ifMatch = version.startsWith('"') ? { "if-match": version } : {};
      return (await ask({ range: `bytes=${from}-${to - 1}`, ...ifMatch }, signal)).body;
    },
  };
}

/** A file that is read completely at the first request: a small object in a bucket. */
export function createBytesFile(
  name: string,
  read: () => Promise<{ readonly body: Buffer; readonly version: string }>,
): RangeFile {
  let known: ReturnType<typeof read> | undefined;
  const whole = () => (known ??= read());
  return {
    name,
    async tail(signal) {
      signal?.throwIfAborted();
      const { body, version } = await whole();
      return { size: body.length, bytes: body.subarray(-tailBytes), version };
    },
    async range({ from, to }, signal) {
      signal?.throwIfAborted();
      return (await whole()).body.subarray(from, to);
    },
  };
}

/** Repeats a step if it may succeed later. */
export async function withRetries<T>(
  step: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      const isPassing = error instanceof AppError && error.kind === "unavailable";
      if (!isPassing || tries >= triesMax) throw error;
    }
  }
}

interface Asked {
  readonly url: string;
  readonly userAgent: string;
  readonly signal: AbortSignal | undefined;
}

/** The bytes that arrived, even if the connection broke after them. */
async function askServer(
  { url, userAgent, signal }: Asked,
  headers: Readonly<Record<string, string>>,
): Promise<{
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}> {
  let lastError: unknown;
  for (let tries = 0; tries < triesMax; tries++) {
    signal?.throwIfAborted();
    const parts: Buffer[] = [];
    try {
      const { origin, pathname, search } = new URL(url);
      const answer = await request.call(agent, {
        origin,
        path: `${pathname}${search}`,
        method: "GET",
        headers: { ...headers, "user-agent": userAgent },
        ...(signal && { signal }),
        headersTimeout: 60_000,
        bodyTimeout: 60_000,
      });
      const { statusCode } = answer;
      if (statusCode !== 206) {
        await answer.body.dump();
        if (statusCode < 500 && statusCode !== 429) throw refused(url, statusCode);
        lastError = new Error(`the server answered ${statusCode}`);
        continue;
      }
      const own = Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      );
      try {
        for await (const part of answer.body) parts.push(part as Buffer);
      } catch (error) {
        if (parts.length === 0) throw error;
      }
      return { headers: own, body: Buffer.concat(parts) };
    } catch (error) {
      if (error instanceof AppError) throw error;
      signal?.throwIfAborted();
      lastError = error;
    }
  }
  const { message } = lastError as Error;
  throw new AppError("unavailable", "places_unreachable", `cannot read ${url}: ${message}; run the same command again to continue`, { cause: lastError }); // prettier-ignore
}

function refused(url: string, status: number): AppError {
  if (status === 412) return unreadableRemote(url, "it was changed while it was read: start again");
  if (status === 404 || status === 410 || status === 403) return goneRemote(url, String(status));
  return unreadableRemote(url, `the server does not give parts of it (it answered ${status})`);
}

const noRanges = (url: string) =>
  unreadableRemote(url, "the server does not give parts of it (no HTTP range requests)");

export const unreadableRemote = (name: string, why: string) =>
  new AppError("invalid", "places_parquet", `cannot read places from ${name}: ${why}`);

export const goneRemote = (name: string, why: string) =>
  new AppError(
    "invalid",
    "places_gone",
    `${name} is not there (${why}): releases of Overture are public for 60 days, take a newer one`,
  );
