import { AppError } from "../base/app-error.ts";
import type { Bucket } from "./bucket.ts";

export const bucketOperations = [
  "get",
  "putIfAbsent",
  "putIfMatch",
  "put",
  "delete",
  "list",
] as const;

export type BucketOperation = (typeof bucketOperations)[number];

export interface Usage {
  readonly requests: number;
  /** Without an answer that counts: servers charge nothing for their own failures. */
  readonly failed: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly dollars: number;
}

/** Dollars for 1,000 requests: S3 Standard, us-east-1, as of 2026. Refused conditions cost too. */
const dollarsPerThousand: Readonly<Record<BucketOperation, number>> = {
  get: 0.0004,
  putIfAbsent: 0.005,
  putIfMatch: 0.005,
  put: 0.005,
  list: 0.005,
  delete: 0,
};

export interface Meter {
  /** The same bucket; what goes through it is counted for this caller. */
  meter(bucket: Bucket, caller: string): Bucket;
  usage(caller?: string): Readonly<Record<BucketOperation, Usage>>;
  callers(): readonly string[];
}

const nothing: Usage = { requests: 0, failed: 0, bytesSent: 0, bytesReceived: 0, dollars: 0 };

/** Counts requests by caller and operation, and what they cost. Callers are few, and named in code. */
export function createMeter(): Meter {
  const counts = new Map<string, Record<BucketOperation, Usage>>();

  const add = (caller: string, operation: BucketOperation, more: Partial<Usage>) => {
    const own = counts.get(caller) ?? emptyUsage();
    counts.set(caller, own);
    own[operation] = sum(own[operation], { ...nothing, ...more });
  };

  const counted = async <T>(
    { caller, operation, bytesSent = 0 }: CountedRequest,
    send: () => Promise<T>,
    bytesReceived: (answer: T) => number = () => 0,
  ): Promise<T> => {
    const dollars = dollarsPerThousand[operation] / 1_000;
    try {
      const answer = await send();
      const more = { requests: 1, bytesSent, bytesReceived: bytesReceived(answer), dollars };
      add(caller, operation, more);
      return answer;
    } catch (error) {
      const isOurs = error instanceof AppError && error.kind === "invalid";
      add(caller, operation, { requests: 1, failed: 1, bytesSent, dollars: isOurs ? dollars : 0 });
      throw error;
    }
  };

  return {
    meter: (bucket, caller) => ({
      ...bucket,
      get: (key, more) =>
        counted(
          { caller, operation: "get" },
          () => bucket.get(key, more),
          (got) => (got.status === "found" ? got.body.byteLength : 0),
        ),
      putIfAbsent: (key, body) =>
        counted({ caller, operation: "putIfAbsent", bytesSent: body.byteLength }, () =>
          bucket.putIfAbsent(key, body),
        ),
      putIfMatch: (key, body, etag) =>
        counted({ caller, operation: "putIfMatch", bytesSent: body.byteLength }, () =>
          bucket.putIfMatch(key, body, etag),
        ),
      put: (key, body) =>
        counted({ caller, operation: "put", bytesSent: body.byteLength }, () =>
          bucket.put(key, body),
        ),
      delete: (key) => counted({ caller, operation: "delete" }, () => bucket.delete(key)),
      list: (prefix, more) =>
        counted({ caller, operation: "list" }, () => bucket.list(prefix, more)),
    }),
    usage(caller) {
      const chosen = caller === undefined ? [...counts.values()] : [counts.get(caller)];
      return chosen.reduce<Record<BucketOperation, Usage>>((total, one) => {
        for (const name of bucketOperations) total[name] = sum(total[name], one?.[name] ?? nothing);
        return total;
      }, emptyUsage());
    },
    callers: () => [...counts.keys()],
  };
}

interface CountedRequest {
  readonly caller: string;
  readonly operation: BucketOperation;
  readonly bytesSent?: number;
}

const emptyUsage = (): Record<BucketOperation, Usage> => ({
  get: nothing,
  putIfAbsent: nothing,
  putIfMatch: nothing,
  put: nothing,
  delete: nothing,
  list: nothing,
});

const sum = (a: Usage, b: Usage): Usage => ({
  requests: a.requests + b.requests,
  failed: a.failed + b.failed,
  bytesSent: a.bytesSent + b.bytesSent,
  bytesReceived: a.bytesReceived + b.bytesReceived,
  dollars: a.dollars + b.dollars,
});
