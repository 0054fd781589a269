import { AppError } from "../../../base/app-error.ts";
import { sleep, type Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { createSerial } from "../../../base/serial.ts";
import type { FetchFailed, Fetcher, FetchFound } from "../../../crawl/index.ts";
import type { DailyBudget } from "../../daily-budget.ts";
import { sourceBusy } from "../../source-busy.ts";
import { readAnswer, readStatus, type OverpassAnswer } from "./overpass-answer.ts";
import { queryTimeoutS } from "./overpass-query.ts";

/**
 * Queries one Overpass server within its operators' rules: one request at a time, at least
 * `delayMs` from start to start, none for 30 s after a refusal, and only within the daily budget.
 * The queue's gate, not this client, keeps other processes from querying at the same time.
 */
export interface OverpassClient {
  /** Throws AppError for everything except an answer or a query that was too big. */
  ask(query: string, options?: AskOptions): Promise<Answered>;
}

export type Answered = Exclude<OverpassAnswer, { readonly kind: "bad" }>;

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called when a request is sent. */
  readonly onRequest?: (() => void) | undefined;
}

export interface OverpassClientOptions {
  /** The URL of the interpreter: `https://overpass.example/api/interpreter`. */
  readonly url: string;
  readonly fetcher: Pick<Fetcher, "fetch">;
  readonly budget: DailyBudget;
  readonly delayMs: number;
  readonly maxDataAgeDays: number;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info">;
}

/** The shortest pause that a server asks for after a refusal. */
export const refusedMs = 30_000;
/** The pause after a lost answer: the server refuses the same query while the first still runs. */
const lostAnswerMs = (queryTimeoutS + 5) * 1_000;
/** After this time without a request, ask for free slots first. */
const statusAfterMs = 600_000;
const dayMs = 86_400_000;
const bytesMax = 96 * 2 ** 20;
const limits = {
  // A server may hold a query for 15 s before it starts.
  headersMs: (queryTimeoutS + 20) * 1_000,
  totalMs: (queryTimeoutS + 60) * 1_000,
  idleMs: 30_000,
  bytesMax,
  redirectsMax: 0,
};

export function createOverpassClient(options: OverpassClientOptions): OverpassClient {
  const { url, fetcher, budget, delayMs, maxDataAgeDays, clock, log } = options;
  const { host } = new URL(url);
  const turns = createSerial();
  let startedMs = -Infinity;
  let refusedUntilMs = -Infinity;
  let isStatusDue = true;

  const busy = (code: string, what: string, waitMs: number): AppError => {
    refusedUntilMs = clock.monotonicMs() + waitMs;
    isStatusDue = true;
    return sourceBusy(
      code,
      `${host} ${what}; asking again in ${Math.ceil(waitMs / 1_000)} s`,
      waitMs,
    );
  };

  /** Servers without slots, or without a status page, are queried without this check. */
  const awaitSlot = async (signal: AbortSignal | undefined): Promise<void> => {
    const idleMs = clock.monotonicMs() - startedMs;
    if (!isStatusDue && idleMs < statusAfterMs) return;
    const page = new URL("status", url).href;
    const got = await fetcher.fetch({ url: page, accept: "text/plain", limits: { redirectsMax: 0, bytesMax: 65_536 }, signal }); // prettier-ignore
    isStatusDue = false;
    const status = got.kind === "found" ? readStatus(Buffer.from(got.body).toString("utf8")) : undefined; // prettier-ignore
    if (!status || status.rateLimit === 0 || status.slotsNow > 0) return;
    const waitMs = ((status.nextSlotS ?? 0) + 1) * 1_000;
    throw busy("places_no_slot", "has no free slot for this network", Math.max(waitMs, 5_000));
  };

  const judgeFailure = ({
    status = 0,
    reason,
    message,
    retryAfterMs = 0,
  }: FetchFailed): AppError => {
    const waitMs = Math.max(refusedMs, retryAfterMs);
    if (status === 429) return busy("places_refused", "answered 429 (too many requests)", waitMs);
    if (status === 504 || status === 503 || status === 502) {
      return busy("places_overloaded", `answered ${status} (too busy)`, waitMs);
    }
    if (status === 400) {
      return new AppError("invalid", "places_query", `${host} does not understand the query: is ${url} the interpreter of an Overpass server?`); // prettier-ignore
    }
    if (status === 403 || status === 406) {
      const words = `${host} refuses the request (${status}): set crawl.contact to a mailbox or page of yours, and read its rules`;
      return new AppError("invalid", "places_forbidden", words);
    }
    if (status > 0 && status < 500) {
      return new AppError("invalid", "places_endpoint", `${host} answered ${status}: is ${url} the interpreter of an Overpass server?`); // prettier-ignore
    }
    if (reason === "bad_url") return new AppError("invalid", "places_endpoint", message);
    const isLost = reason === "timeout" || reason === "reset" || reason === "bad_content";
    const what = isLost
      ? `did not complete its answer (${reason})`
      : `cannot be reached (${reason})`;
    return busy("places_unreachable", what, isLost ? lostAnswerMs : refusedMs);
  };

  const judgeBody = ({ body }: FetchFound): Answered => {
    const answer = readAnswer(body);
    if (answer.kind === "bad") throw busy("places_bad_answer", `gave no answer: ${answer.reason}`, lostAnswerMs); // prettier-ignore
    if (answer.kind === "too_big") return answer;
    const { dataTime, remark } = answer;
    if (remark !== undefined) log.info(`${host} remarks`, { remark: remark.slice(0, 300) });
    const ageDays =
      dataTime === undefined ? Infinity : (clock.nowMs() - Date.parse(dataTime)) / dayMs;
    if (ageDays <= maxDataAgeDays) return answer;
    const age = dataTime === undefined ? "of unknown age" : `of ${dataTime}`;
    throw busy("places_stale", `has data ${age}, older than the ${maxDataAgeDays} days that are allowed`, 3_600_000); // prettier-ignore
  };

  const askNow = async (query: string, { signal, onRequest }: AskOptions): Promise<Answered> => {
    const waitMs = refusedUntilMs - clock.monotonicMs();
    if (waitMs > 0) throw busy("places_refused", "asked to wait for a while", waitMs);
    await sleep(clock, Math.max(0, startedMs + delayMs - clock.monotonicMs()), signal);
    await awaitSlot(signal);
    await budget.take();
    signal?.throwIfAborted();
    onRequest?.();
    // The last moment before the request. An earlier one would make the next gap too short.
    startedMs = clock.monotonicMs();
    const request = new URL(url);
    request.searchParams.set("data", query);
    const got = await fetcher.fetch({
      url: request.href,
      accept: "application/json",
      limits,
      signal,
    });
    if (got.kind === "found") {
      await budget.addBytes(got.bytes.wire);
      return judgeBody(got);
    }
    signal?.throwIfAborted();
    if (got.kind !== "failed") throw busy("places_bad_answer", "gave no answer", refusedMs);
    if (got.reason === "too_large" || got.reason === "bomb") {
      await budget.addBytes(bytesMax);
      return { kind: "too_big", reason: `the answer is larger than ${bytesMax} bytes` };
    }
    throw judgeFailure(got);
  };
  return {
    async ask(query, asked = {}) {
      asked.signal?.throwIfAborted();
      return await turns.run(() => askNow(query, asked), { signal: asked.signal });
    },
  };
}
