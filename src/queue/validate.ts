import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import { defaultJob } from "./job.ts";
import type * as operation from "./operation.ts";
import type { ClaimInput, FinishedInput, FinishInput, JobInput, Kinds } from "./queue.ts";
import type { RaiseInput, TaskInput } from "./queue.ts";
import type { BrowseQuery } from "./queue-store.ts";
import type { NewTask } from "./task.ts";

export const payloadBytesMax = 256 * 1024;
export const addTasksMax = 10_000;
const nameLengthMax = 255;
const keyLengthMax = 2_048;
const reasonLengthMax = 4_096;
const dayMs = 86_400_000;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Everything that enters a queue passes here once; behind it, input is only asserted. */
export function createValidator({ clock, newId }: ValidatorOptions) {
  const tasks = (inputs: readonly TaskInput<Kinds>[]): readonly NewTask[] => {
    if (inputs.length > addTasksMax) {
      throw invalid("too_many", `${inputs.length} tasks in one add: add at most ${addTasksMax}`);
    }
    const nowMs = clock.nowMs();
    return inputs.map((input) => newTask(input, nowMs, newId));
  };

  return {
    tasks,
    job: (value: string) => name("job", value),
    /** The default job takes whatever names no other, so it cannot end. */
    endingJob: (value: string) => {
      if (value !== defaultJob) return name("job", value);
      throw invalid(
        "default_job",
        `the job "${defaultJob}" holds all tasks that name none and is never sealed or ` +
          `cancelled: pause it, or give the tasks a job of their own`,
      );
    },
    gate: (value: string) => name("gate", value),
    leaseMs,
    delay,

    claim: (input: ClaimInput): operation.Claim => {
      if (input.kinds.length === 0) throw invalid("no_kinds", "a claim names at least one kind");
      return {
        op: "claim",
        worker: name("worker", input.worker),
        kinds: input.kinds.map((kind) => name("kind", kind)),
        limit: whole("limit", input.limit ?? 1, 1, 10_000),
        burst: whole("burst", input.burst ?? 50, 1, 1_000),
        leaseMs: leaseMs(input.leaseMs ?? 60_000),
        requestId: name("requestId", input.requestId ?? newId()),
      };
    },

    finish: (input: FinishInput<Kinds>): operation.Finish => {
      const { id, token, add, raise: raises } = input;
      const ended = { id, token, outcome: outcome(input.outcome) };
      // Nearly all finishes of a busy queue are no more than this.
      if (input.sinceStartMs === undefined && !add && !raises) return ended;
      return {
        ...ended,
        ...sinceStart(input),
        ...(add && add.length > 0 ? { add: tasks(add) } : {}),
        ...(raises && raises.length > 0 ? { raise: raises.map(checkRaise) } : {}),
      };
    },
    release: (input: operation.Release): operation.Release => ({
      id: input.id,
      token: input.token,
      ...sinceStart(input),
    }),

    setGate: (
      gate: string,
      { delayMs, limit }: { readonly delayMs?: number; readonly limit?: number },
    ): operation.SetGate => ({
      op: "setGate",
      gate: name("gate", gate),
      ...(delayMs === undefined ? {} : { delayMs: whole("delayMs", delayMs, 0, dayMs) }),
      ...(limit === undefined ? {} : { limit: whole("limit", limit, 1, 10_000) }),
    }),
    openJob: (job: string, { concurrency, budget, gate }: JobInput): operation.OpenJob => ({
      op: "openJob",
      job: name("job", job),
      concurrency:
        concurrency === undefined ? null : whole("concurrency", concurrency, 1, 1_000_000),
      budget: budget === undefined ? null : whole("budget", budget, 0, Number.MAX_SAFE_INTEGER),
      gate: gate === undefined ? "" : name("gate", gate),
    }),

    raise: checkRaise,
    finished: (input: FinishedInput): operation.FinishedFilter => ({
      ...input,
      states: input.states ?? ["failed"],
    }),
    retried: (input: FinishedInput): operation.FinishedFilter => {
      if (!input.states?.includes("done")) return { ...input, states: input.states ?? ["failed"] };
      throw invalid(
        "retry_done",
        "a task that is done is not retried: only failed and skipped are",
      );
    },
    browse: (query: Partial<BrowseQuery>): BrowseQuery => ({
      ...query,
      afterId: query.afterId ?? 0,
      limit: whole("limit", query.limit ?? 100, 1, 10_000),
    }),
  };
}

interface ValidatorOptions {
  readonly clock: Clock;
  readonly newId: () => string;
}

function newTask(input: TaskInput<Kinds>, nowMs: number, newId: () => string): NewTask {
  const key = input.key === undefined ? newId() : text("key", input.key, keyLengthMax);
  if (input.dueAtMs !== undefined && input.delayMs !== undefined) {
    throw invalid("due_twice", `task "${key}" has dueAtMs and delayMs: give one of them`);
  }
  return {
    kind: name("kind", input.kind),
    job: input.job === undefined ? defaultJob : name("job", input.job),
    gate: input.gate === undefined || input.gate === "" ? "" : name("gate", input.gate),
    key,
    payload: json(`the payload of task "${key}"`, input.payload ?? null),
    priority: priority(input.priority ?? 500),
    dueAtMs:
      input.delayMs === undefined
        ? whole("dueAtMs", input.dueAtMs ?? 0, 0, Number.MAX_SAFE_INTEGER)
        : nowMs + delay("delayMs", input.delayMs),
    attemptsMax: whole("attemptsMax", input.attemptsMax ?? 5, 1, 1_000),
  };
}

export const checkRaise = (input: RaiseInput): operation.RaiseOne => ({
  job: input.job ?? defaultJob,
  gate: input.gate ?? "",
  key: text("key", input.key, keyLengthMax),
  priority: priority(input.priority),
});

function outcome(input: FinishInput["outcome"]): operation.Outcome {
  switch (input.kind) {
    case "done":
      return {
        kind: "done",
        result: input.result === undefined ? null : json("the result", input.result),
      };
    case "retry":
      return {
        kind: "retry",
        delayMs: delay("delayMs", input.delayMs),
        reason: reason(input.reason),
      };
    case "skip":
    case "fail":
      return { kind: input.kind, reason: reason(input.reason) };
  }
}

/** Store clocks count whole milliseconds, so a fraction is rounded to the side of waiting longer. */
const sinceStart = ({ sinceStartMs }: { readonly sinceStartMs?: number }) => {
  if (sinceStartMs === undefined) return {};
  const wholeMs = delay("sinceStartMs", sinceStartMs);
  return { sinceStartMs: Number.isInteger(sinceStartMs) ? wholeMs : wholeMs - 1 };
};

function json(what: string, value: unknown): string {
  const written = tryJson(value);
  if (written === undefined) {
    throw invalid(
      "not_json",
      `${what} is not JSON: functions, symbols, big integers, cycles and undefined are not`,
    );
  }
  const bytes = Buffer.byteLength(written);
  if (bytes > payloadBytesMax) {
    throw invalid(
      "too_large",
      `${what} has ${bytes} bytes, the limit is ${payloadBytesMax}: store it and pass its name`,
    );
  }
  return written;
}

function tryJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // a cycle, a BigInt or a throwing toJSON
  }
}

/**
 * A reason comes from a failing handler: never refuse it, cut it. Databases do not store NUL and
 * half a surrogate pair as they are, and a repeated finish must find the reason it wrote.
 */
const reason = (value: string) =>
  String(value)
    .slice(0, reasonLengthMax)
    .replaceAll("\u0000", "\ufffd")
    .replace(new RegExp(loneSurrogate, "g"), "\ufffd");
const priority = (value: number) => whole("priority", value, 0, 1_000);
const name = (what: string, value: string) => text(what, value, nameLengthMax);

function leaseMs(value: number): number {
  return whole("leaseMs", value, 10, dayMs);
}

function delay(what: string, value: number): number {
  if (Number.isFinite(value) && value >= 0 && value <= 366 * dayMs) return Math.floor(value);
  throw invalid("bad_delay", `${what} is ${value}: it must be from 0 to ${366 * dayMs} ms`);
}

function whole(what: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalid("bad_number", `${what} is ${value}: it must be a whole number ${min}–${max}`);
}

function text(what: string, value: string, lengthMax: number): string {
  if (typeof value !== "string" || value === "") {
    throw invalid("bad_text", `${what} is empty or not a text: give it a name`);
  }
  if (value.length > lengthMax) {
    throw invalid("too_long", `${what} has ${value.length} characters, the limit is ${lengthMax}`);
  }
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  if (/[\u0000-\u001f\u007f]/.test(value) || loneSurrogate.test(value)) {
    throw invalid("bad_text", `${what} ${JSON.stringify(value)} holds a control character`);
  }
  return value;
}

const invalid = (code: string, message: string) => new AppError("invalid", code, message);
