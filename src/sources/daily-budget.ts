import * as z from "zod";
import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Bucket } from "../bucket/index.ts";
import { sourceBusy } from "./source-busy.ts";

/** Limits the requests and bytes of a source per day (UTC), for all nodes that share the bucket. */
export interface DailyBudget {
  /** Counts one request before it is sent. Throws `places_budget` if none is left today. */
  take(): Promise<void>;
  /** Counts received bytes. */
  addBytes(bytes: number): Promise<void>;
  used(): Promise<{ readonly requests: number; readonly bytes: number }>;
}

export interface DailyBudgetOptions {
  readonly bucket: Pick<Bucket, "get" | "putIfAbsent" | "putIfMatch">;
  /** The key is the prefix and the day: `<prefix>2026-11-17.json`. */
  readonly prefix: string;
  readonly name: string;
  readonly requestsMax: number;
  readonly bytesMax: number;
  readonly clock: Pick<Clock, "nowMs">;
}

const schema = z.object({ requests: z.int().min(0), bytes: z.int().min(0) });
const none = { requests: 0, bytes: 0 };
const triesMax = 20;
const dayMs = 86_400_000;

export function createDailyBudget(options: DailyBudgetOptions): DailyBudget {
  const { bucket, prefix, name, requestsMax, bytesMax, clock } = options;
  const keyNow = () => `${prefix}${new Date(clock.nowMs()).toISOString().slice(0, 10)}.json`;
  const read = async (key: string) => {
    const got = await bucket.get(key);
    if (got.status !== "found") return { used: none, etag: undefined };
    const parsed = schema.safeParse(jsonOf(got.body));
    // If the object is damaged, count as if the budget were used up, so that we never send too many
    // requests.
    return { used: parsed.data ?? { requests: requestsMax, bytes: bytesMax }, etag: got.etag };
  };
  const change = async (apply: (used: typeof none) => typeof none): Promise<void> => {
    const key = keyNow();
    for (let tries = 0; tries < triesMax; tries++) {
      const { used, etag } = await read(key);
      const body = Buffer.from(`${JSON.stringify(apply(used))}\n`);
      const answer =
        etag === undefined
          ? await bucket.putIfAbsent(key, body)
          : await bucket.putIfMatch(key, body, etag);
      if (answer.status === "created" || answer.status === "written") return;
    }
    const words = `cannot count requests to ${name} in ${key}: other processes keep changing it`;
    throw new AppError("unavailable", "places_budget_busy", words);
  };
  return {
    take: () =>
      change(({ requests, bytes }) => {
        const isOver = requests >= requestsMax || bytes >= bytesMax;
        if (!isOver) return { requests: requests + 1, bytes };
        const retryAfterMs = dayMs - (clock.nowMs() % dayMs);
        const words =
          `the daily budget of ${name} is used up: ${requests} of ${requestsMax} requests, ` +
          `${bytes} of ${bytesMax} bytes; it continues after midnight UTC`;
        throw sourceBusy("places_budget", words, retryAfterMs);
      }),
    addBytes: (more) => change(({ requests, bytes }) => ({ requests, bytes: bytes + more })),
    used: async () => (await read(keyNow())).used,
  };
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}
