import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { AppError } from "../../../base/app-error.ts";
import { systemClock, type Clock } from "../../../base/clock.ts";
import type { BucketOperation } from "../../metered-bucket.ts";
import { readFailure } from "./s3-error.ts";
import { createStoreClock, type StoreClock } from "./store-clock.ts";

export interface S3Place {
  readonly bucket: string;
  /** The prefix of every key: empty, or ends with a slash. */
  readonly prefix: string;
  /** Absent: the endpoint of AWS, or of AWS_ENDPOINT_URL. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /**
   * `http://host/bucket/key` instead of `http://bucket.host/key`. Default: true if an endpoint is
   * set.
   */
  readonly hasPathStyle?: boolean | undefined;
  /** Absent: the credential chain of the SDK (environment, profile, machine role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface S3Caller extends Disposable {
  /**
   * Sends a request once. A repeated conditional write could get 412 because of its own success.
   */
  send<T>(
    operation: BucketOperation,
    request: (client: S3Client, signal: AbortSignal) => Promise<T>,
  ): Promise<S3Answer<T>>;
  readonly storeClock: StoreClock;
}

export interface S3Answer<T> {
  readonly output: T;
  /** The server's clock; undefined if the answer had no `Date`. */
  readonly dateMs: number | undefined;
}

const socketsMax = 50;
const connectMs = 5_000;
export const requestMsDefault = 30_000;

export interface S3CallerOptions {
  readonly clock: Clock;
  readonly requestMs?: number;
  /** Sends requests without a signature, as any client on the internet can. */
  readonly isAnonymous?: boolean;
  /** Called when a request is sent a second time. */
  readonly onRepeat?: (operation: BucketOperation) => void;
}

export function createS3Caller(place: S3Place, options: S3CallerOptions): S3Caller {
  const { clock, requestMs = requestMsDefault, onRepeat = () => {} } = options;
  const storeClock = createStoreClock();
  const open = () => {
    const opened = createClient(place, clock, options.isAnonymous === true);
    noteDates(opened, { clock, onDate: (reading) => storeClock.observe(reading) });
    return opened;
  };
  let client = open();
  /** Whether the store has accepted the credentials of this process before. */
  let wasAccepted = false;

  const sendOnce = async <T>(
    request: (client: S3Client, signal: AbortSignal) => Promise<T>,
  ): Promise<S3Answer<T>> => {
    const used = client;
    const timeout = new AbortController();
    const timer = clock.setTimer(requestMs, () =>
      timeout.abort(new Error(`no answer within ${requestMs} ms`)),
    );
    try {
      const output = await request(used, timeout.signal);
      wasAccepted = true;
      const { $metadata } = output as { readonly $metadata?: { readonly dateMs?: number } };
      return { output, dateMs: $metadata?.dateMs };
    } finally {
      timer.cancel();
    }
  };
  const sendInTime: S3Caller["send"] = async (operation, request) => {
    const used = client;
    try {
      return await sendOnce(request);
    } catch (error) {
      // The server refused it before anything happened, so it may be sent again.
      const { name } = readFailure(error);
      const isRefused = refusedKeys.has(name) && place.credentials === undefined;
      // A new client reads the keys again, because they may have been replaced. The old client is
      // closed after its last request. After an error about a wrong time, the SDK has corrected its
      // clock offset.
      if (isRefused && client === used) client = open();
      if (!isRefused && name !== "RequestTimeTooSkewed") throw error;
      onRepeat(operation);
      return await sendOnce(request).catch((second: unknown) => {
        throw refusedKeys.has(readFailure(second).name) && wasAccepted
          ? credentialsReplaced(place, second)
          : second;
      });
    }
  };

  // The first request is sent alone: with several at once, the SDK computes a wrong clock offset.
  let first: Promise<unknown> | undefined;
  return {
    async send(operation, request) {
      if (first) await first;
      else {
        const alone = sendInTime(operation, request);
        first = alone.catch(() => {});
        return alone;
      }
      return sendInTime(operation, request);
    },
    storeClock,
    [Symbol.dispose]: () => client.destroy(),
  };
}

/**
 * Gives the SDK empty credentials, which it asks for before it signs, and a signer that does not
 * sign.
 */
const unsigned = {
  credentials: { accessKeyId: "anonymous", secretAccessKey: "anonymous" },
  signer: { sign: async <T>(request: T): Promise<T> => request },
};

/** The key was revoked, was replaced, or has expired. */
const refusedKeys: ReadonlySet<string> = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "InvalidToken",
  "ExpiredToken",
  "TokenRefreshRequired",
]);

/**
 * Stores need some seconds until they know a new key everywhere, and people need longer until they
 * have written it to the profile file. So a process whose key worked before waits for the new one.
 */
function credentialsReplaced({ bucket }: S3Place, cause: unknown): AppError {
  const message =
    `s3://${bucket} no longer accepts these credentials (${readFailure(cause).name}): ` +
    `store the new ones where the old ones were; they are read again by themselves`;
  return new AppError("unavailable", "bucket_credentials", message, { cause });
}

function createClient(place: S3Place, clock: Clock, isAnonymous: boolean): S3Client {
  const config: S3ClientConfig & { readonly ignoreCache: true } = {
    ...(place.endpoint && { endpoint: place.endpoint }),
    ...(place.region && { region: place.region }),
    ...(place.credentials && { credentials: place.credentials }),
    ...(isAnonymous && unsigned),
    // The SDK passes this to its credential providers, so that each new client reads profile files
    // again.
    ignoreCache: true,
    forcePathStyle: place.hasPathStyle ?? place.endpoint !== undefined,
    maxAttempts: 1,
    // Some stores refuse checksums that they did not ask for.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    systemClockOffset: clock.nowMs() - systemClock.nowMs(), // sign with our clock
    requestHandler: {
      connectionTimeout: connectMs,
      httpAgent: { keepAlive: true, maxSockets: socketsMax },
      httpsAgent: { keepAlive: true, maxSockets: socketsMax },
    },
  };
  return new S3Client(config);
}

interface DateOptions {
  readonly clock: Clock;
  readonly onDate: (reading: {
    readonly dateMs: number;
    readonly sentMs: number;
    readonly receivedMs: number;
  }) => void;
}

/** Reports the `Date` of every answer, also of failures, and adds it to the output. */
function noteDates(client: S3Client, { clock, onDate }: DateOptions): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentMs = clock.monotonicMs();
      const answer = await next(args);
      const headers = (answer.response as { headers?: Record<string, string> }).headers ?? {};
      const dateMs = Date.parse(headers["date"] ?? "");
      if (!Number.isNaN(dateMs)) onDate({ dateMs, sentMs, receivedMs: clock.monotonicMs() });
      return answer;
    },
    { step: "deserialize", priority: "low", name: "noteDate" },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      const headers = (answer.response as { headers?: Record<string, string> }).headers ?? {};
      const dateMs = Date.parse(headers["date"] ?? "");
      const metadata = (answer.output as { $metadata?: object }).$metadata;
      if (metadata && !Number.isNaN(dateMs)) Object.assign(metadata, { dateMs });
      return answer;
    },
    { step: "deserialize", priority: "high", name: "keepDate" },
  );
}
