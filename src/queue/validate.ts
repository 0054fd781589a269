import type { Clock } from "../base/clock.ts";
import * as check from "./check-value.ts";
import { invalid } from "./check-value.ts";
import { defaultJob } from "./job.ts";
import { dueAfterMs, truncatedNow, type ModelNow } from "./model/now.ts";
import type { NamePage } from "./names.ts";
import type * as operation from "./operation.ts";
import type { ClaimInput, FinishedInput, FinishInput, JobInput, Kinds } from "./queue.ts";
import type { RaiseInput, TaskInput } from "./queue.ts";
import type { BrowseQuery, EndedQuery } from "./queue-store.ts";
import type { LeaseRef, NewTask, TaskState, TerminalState } from "./task.ts";

export const payloadBytesMax = 256 * 1024;
export const addTasksMax = 10_000;
const reasonLengthMax = 4_096;
/** The limit for one attempt of a task. */
const requestsMax = 1_000_000_000;
const stackLengthMax = 4_096;
const terminalStates: readonly TerminalState[] = ["done", "skipped", "failed"];
const states: readonly TaskState[] = ["pending", "running", ...terminalStates];

/** All input of a queue is checked here once; other modules only assert it. */
export function createValidator({ clock, newId }: ValidatorOptions) {
  const tasks = (inputs: readonly TaskInput<Kinds>[]): readonly NewTask[] => {
    if (Array.isArray(inputs) && inputs.length > addTasksMax) {
      throw invalid("too_many", `${inputs.length} tasks in one add: add at most ${addTasksMax}`);
    }
    const wallMs = clock.nowMs();
    const now = truncatedNow({ ms: wallMs, wallMs });
    return check.list("tasks", inputs, (input) => newTask(input, now, newId));
  };

  return {
    tasks,
    add: (
      inputs: readonly TaskInput<Kinds>[],
      options: { readonly by?: LeaseRef } = {},
    ): operation.Add => {
      const { by } = check.object("the options of an add", options);
      return { op: "add", tasks: tasks(inputs), ...(by === undefined ? {} : { by: lease(by) }) };
    },
    job: (value: string) => check.name("job", value),
    /** The default job gets all tasks that name no job, so it cannot end. */
    endingJob: (value: string) => {
      if (value !== defaultJob) return check.name("job", value);
      throw invalid(
        "default_job",
        `the job "${defaultJob}" holds all tasks that name none and is never sealed or ` +
          `cancelled: pause it, or give the tasks a job of their own`,
      );
    },
    gate: (value: string) => check.name("gate", value),
    id: (value: number) => check.count("id", value),
    kinds,
    worker: (value: string | undefined) =>
      value === undefined ? undefined : check.name("worker", value),
    delay: check.delay,

    claim: (input: ClaimInput): operation.Claim => {
      check.object("a claim", input);
      const wanted = kinds(input.kinds);
      if (wanted.length === 0) throw invalid("no_kinds", "a claim names at least one kind");
      return {
        op: "claim",
        worker: check.name("worker", input.worker),
        kinds: wanted,
        limit: check.whole("limit", input.limit ?? 1, 1, 10_000),
        burst: check.whole("burst", input.burst ?? 50, 1, 1_000),
        leaseMs: check.leaseMs(input.leaseMs ?? 60_000),
        requestId: check.name("requestId", input.requestId ?? newId()),
      };
    },
    extend: (leases: readonly LeaseRef[], leaseMs: number): operation.Extend => ({
      op: "extend",
      leases: check.list("leases", leases, lease),
      leaseMs: check.leaseMs(leaseMs),
    }),

    finish: (input: FinishInput<Kinds>): operation.Finish => {
      const { id, token, add, raise: raises, requests } = check.object("a finish", input);
      const ended = {
        id: check.count("id", id),
        token: check.count("token", token),
        outcome: outcome(input.outcome),
      };
      // The most frequent case: a finish without additions.
      if (!add && !raises && !requests) return Object.assign(ended, sinceStart(input));
      return {
        ...ended,
        ...sinceStart(input),
        ...(add && add.length !== 0 ? { add: tasks(add) } : {}),
        ...(raises && raises.length !== 0 ? { raise: raiseAll(raises) } : {}),
        ...(requests ? { requests: check.whole("requests", requests, 0, requestsMax) } : {}),
      };
    },
    release: (input: operation.Release): operation.Release => ({
      ...lease(input),
      ...sinceStart(input),
    }),

    setGate: (
      gate: string,
      settings: { readonly delayMs?: number; readonly limit?: number },
    ): operation.SetGate => {
      const { delayMs, limit } = check.object("the settings of a gate", settings);
      return {
        op: "setGate",
        gate: check.name("gate", gate),
        ...(delayMs === undefined
          ? {}
          : { delayMs: check.whole("delayMs", delayMs, 0, check.dayMs) }),
        ...(limit === undefined ? {} : { limit: check.whole("limit", limit, 1, 10_000) }),
      };
    },
    openJob: (job: string, settings: JobInput): operation.OpenJob => {
      const { concurrency, budget, gate } = check.object("the settings of a job", settings);
      return {
        op: "openJob",
        job: check.name("job", job),
        concurrency:
          concurrency === undefined ? null : check.whole("concurrency", concurrency, 1, 1_000_000),
        budget: budget === undefined ? null : check.count("budget", budget),
        gate: gate === undefined ? "" : check.name("gate", gate),
      };
    },

    raises: raiseAll,
    finished,
    before: (ms: number) => check.moment("finishedBeforeMs", ms),
    retried: (input: FinishedInput): operation.FinishedFilter => {
      const filter = finished(input);
      if (!filter.states.includes("done")) return filter;
      throw invalid(
        "retry_done",
        "a task that is done is not retried: only failed and skipped are",
      );
    },
    browse: (query: Partial<BrowseQuery>): BrowseQuery => {
      const { keyPrefix, text } = check.object("a query", query);
      return {
        ...(query.states === undefined ? {} : { states: statesAmong(states, query.states) }),
        ...lane(query),
        ...(keyPrefix === undefined
          ? {}
          : { keyPrefix: check.searched("keyPrefix", keyPrefix, check.keyLengthMax) }),
        ...(text === undefined ? {} : { text: check.searched("text", text, payloadBytesMax) }),
        afterId: check.count("afterId", query.afterId ?? 0),
        limit: check.whole("limit", query.limit ?? 100, 1, 10_000),
      };
    },
    page: (page: Partial<NamePage>): NamePage => {
      const { after = "", limit } = check.object("a page", page);
      return {
        after: after === "" ? "" : check.name("after", after),
        limit: limit === undefined ? Infinity : check.whole("limit", limit, 1, 10_000),
      };
    },
    ended: (query: Partial<EndedQuery>): EndedQuery => {
      const { after } = check.object("a query", query);
      return {
        states: [...new Set(statesAmong(terminalStates, query.states ?? terminalStates))],
        ...lane(query),
        ...(after === undefined
          ? {}
          : {
              after: {
                finishedAtMs: check.count("finishedAtMs", after.finishedAtMs),
                id: check.count("id", after.id),
              },
            }),
        isNewestFirst: check.flag("isNewestFirst", query.isNewestFirst ?? false),
        limit: check.whole("limit", query.limit ?? 100, 1, 10_000),
      };
    },
    reconcile: (options: { readonly repair?: boolean }) => ({
      repair: check.flag("repair", check.object("the options", options).repair ?? false),
    }),
    onProgress: (value: ((changed: number) => void) | undefined) =>
      value === undefined ? undefined : check.callback("onProgress", value),
    listener: (value: () => void) => check.callback("the listener", value),
  };
}

interface ValidatorOptions {
  readonly clock: Clock;
  readonly newId: () => string;
}

function lease(input: LeaseRef): LeaseRef {
  const { id, token } = check.object("a lease", input);
  return { id: check.count("id", id), token: check.count("token", token) };
}

const kinds = (values: readonly string[]) =>
  check.list("kinds", values, (kind) => check.name("kind", kind));

const statesAmong = <S extends TaskState>(known: readonly S[], values: readonly S[]) =>
  check.list("states", values, (state) => check.oneOf("state", state, known));

const lane = ({ kind, job, gate }: Pick<FinishedInput, "kind" | "job" | "gate">) => ({
  ...(kind === undefined ? {} : { kind: check.name("kind", kind) }),
  ...(job === undefined ? {} : { job: check.name("job", job) }),
  ...(gate === undefined ? {} : { gate: check.gateOrNone(gate) }),
});

function finished(input: FinishedInput): operation.FinishedFilter {
  const { ids, finishedBeforeMs } = check.object("a filter", input);
  return {
    states: statesAmong(terminalStates, input.states ?? ["failed"]),
    ...(ids === undefined ? {} : { ids: check.list("ids", ids, (id) => check.count("id", id)) }),
    ...lane(input),
    ...(finishedBeforeMs === undefined
      ? {}
      : { finishedBeforeMs: check.moment("finishedBeforeMs", finishedBeforeMs) }),
  };
}

function newTask(input: TaskInput<Kinds>, now: ModelNow, newId: () => string): NewTask {
  const given = check.object("a task", input).key;
  const key = given === undefined ? newId() : check.text("key", given, check.keyLengthMax);
  if (input.dueAtMs !== undefined && input.delayMs !== undefined) {
    throw invalid("due_twice", `task "${key}" has dueAtMs and delayMs: give one of them`);
  }
  return {
    kind: check.name("kind", input.kind),
    job: input.job === undefined ? defaultJob : check.name("job", input.job),
    gate: check.gateOrNone(input.gate ?? ""),
    key,
    payload: json(`the payload of task "${key}"`, input.payload ?? null),
    priority: priority(input.priority ?? 500),
    dueAtMs:
      input.delayMs === undefined
        ? check.count("dueAtMs", input.dueAtMs ?? 0)
        : dueAfterMs(now, check.delay("delayMs", input.delayMs)),
    attemptsMax: check.whole("attemptsMax", input.attemptsMax ?? 5, 1, 1_000),
  };
}

export const checkRaise = (input: RaiseInput): operation.RaiseOne => ({
  job: check.name("job", check.object("a raise", input).job ?? defaultJob),
  gate: check.gateOrNone(input.gate ?? ""),
  key: check.text("key", input.key, check.keyLengthMax),
  priority: priority(input.priority),
  ...(input.isDueNow === true && { isDueNow: true }),
});
const raiseAll = (inputs: readonly RaiseInput[]) => check.list("raises", inputs, checkRaise);

function outcome(input: FinishInput["outcome"]): operation.Outcome {
  check.object("the outcome", input);
  switch (input.kind) {
    case "done":
      return {
        kind: "done",
        result: input.result === undefined ? null : json("the result", input.result),
      };
    case "retry":
      return {
        kind: "retry",
        delayMs: check.delay("delayMs", input.delayMs),
        reason: reason(input.reason),
        ...stack(input),
      };
    case "skip":
      return { kind: "skip", reason: reason(input.reason) };
    case "fail":
      return { kind: "fail", reason: reason(input.reason), ...stack(input) };
    case "crash":
      return {
        kind: "crash",
        reason: reason(input.reason),
        ...(input.attemptsMax === undefined
          ? {}
          : { attemptsMax: check.whole("attemptsMax", input.attemptsMax, 1, 1_000) }),
      };
    default:
      throw invalid(
        "bad_choice",
        `the outcome is ${check.shown((input as { readonly kind: unknown }).kind)}: ` +
          "it must be one of done, skip, retry, fail, crash",
      );
  }
}

const sinceStart = ({ sinceStartMs }: { readonly sinceStartMs?: number }) =>
  sinceStartMs === undefined ? {} : { sinceStartMs: check.elapsed("sinceStartMs", sinceStartMs) };

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
 * A reason comes from a failing handler: never refuse it, truncate it, so that a repeat gives the
 * same.
 */
const reason = (value: string) => check.storable(check.asText(value).slice(0, reasonLengthMax));
/** Truncated like a reason: the first lines say the most. */
const stack = (input: { readonly stack?: string }) =>
  input.stack === undefined
    ? undefined
    : { stack: check.storable(check.asText(input.stack).slice(0, stackLengthMax)) };
const priority = (value: number) => check.whole("priority", value, 0, 1_000);
