import * as z from "zod";
import { count, name, pageCursor, pageLimit, pageOf, route, timeMs } from "./route.ts";

export const taskStates = ["pending", "running", "done", "skipped", "failed"] as const;
export const waitingReasonNames = [
  "paused",
  "scheduled",
  "retry_backoff",
  "domain_delay",
  "concurrency_limit",
  "worker_capacity",
] as const;

const waits = z.strictObject({
  count,
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
});

export const reasonStats = z.strictObject({
  reason: z.enum(waitingReasonNames),
  count,
  share: z.number().min(0).max(1),
  oldestAgeMs: z.number().min(0),
});

export const kindStats = z.strictObject({
  kind: z.string(),
  pending: count,
  running: count,
  done: count,
  skipped: count,
  failed: count,
  claimable: count,
  claimableAgeMs: z.number().min(0),
  reasons: z.array(reasonStats),
  waits,
});

export const stateCounts = z.strictObject({
  pending: count,
  running: count,
  done: count,
  skipped: count,
  failed: count,
});

export const logStats = z.strictObject({
  entries: count,
  oldestAtMs: timeMs,
  keptKeys: count,
  waitsForUpgrade: z
    .literal(true)
    .optional()
    .describe("finished tasks move into the log only after `forager fleet finish-upgrade`"),
});

const queueStats = z.strictObject({
  atMs: timeMs.describe("by the queue's clock"),
  states: stateCounts,
  reasons: z.array(reasonStats),
  kinds: z.array(kindStats),
  shards: z.array(
    z.strictObject({
      shard: count,
      pending: count,
      completed: count,
      claimable: count,
      claimableAgeMs: z.number().min(0),
    }),
  ),
  waits,
  lanes: count,
  gates: count,
  jobs: z.strictObject({ open: count, paused: count, ended: count }),
  raises: z.strictObject({ raised: count, unchanged: count }),
  log: logStats,
});

const attempt = z.strictObject({
  token: z.number(),
  atMs: timeMs,
  outcome: z.enum(["retry", "fail", "skip", "crash", "expired", "cancelled"]),
  reason: z.string(),
  stack: z.string().optional(),
});

const taskFields = {
  id: z.int().min(1),
  kind: z.string(),
  job: z.string(),
  gate: z.string().describe("empty: none"),
  key: z.string(),
  payload: z.string().describe("JSON text, so that large numbers stay exact"),
  priority: z.number(),
  dueAtMs: timeMs,
  createdAtMs: timeMs,
  state: z.enum(taskStates),
  token: z.number(),
  used: count,
  attemptsMax: count,
  isSuspect: z.boolean(),
  expiresAtMs: timeMs,
  attempts: z.array(attempt),
  result: z.string().nullable().describe("JSON text; null: none"),
  finishedAtMs: timeMs.describe("0: not finished"),
};

export const taskRow = z.strictObject(taskFields);

const waiting = z.strictObject({
  reason: z.enum(waitingReasonNames),
  forMs: z.number().optional().describe("the earliest possible time, if known"),
});

const measuredAttempt = z.strictObject({
  token: z.number(),
  startedAtMs: timeMs.describe("by the clock of its node"),
  ranMs: z.number().min(0),
  outcome: z.enum(["done", "skip", "retry", "fail", "release", "lost"]),
  node: z.string(),
  worker: z.string(),
});

const shownTask = z.strictObject({
  ...taskFields,
  measured: z
    .array(measuredAttempt)
    .describe("attempts that its workers measured and that are still kept, oldest first"),
  isArchived: z.boolean().describe("true: only the log has it, without payload and result"),
  ageMs: z.number(),
  waiting: waiting.nullable().describe("why it is not running; null: it is not pending"),
  worker: z.string().nullable(),
  leaseLeftMs: z.number().nullable(),
});

export const jobRow = z.strictObject({
  name: z.string(),
  isPaused: z.boolean(),
  isSealed: z.boolean(),
  ended: z.enum(["completed", "cancelled"]).nullable(),
  concurrency: z.number().nullable(),
  budget: z.number().nullable(),
  gate: z.string(),
  slots: count,
  added: count,
  overBudget: count,
  pending: count,
  running: count,
  done: count,
  skipped: count,
  failed: count,
  completions: count,
  openedAtMs: timeMs,
  endedAtMs: timeMs,
  served: z.number(),
  requests: z.number(),
  commitRequests: z.number().optional(),
});

export const gateRow = z.strictObject({
  name: z.string(),
  delayMs: z.number(),
  limit: z.number(),
  blockedUntilMs: timeMs,
  opensAtMs: timeMs,
  running: count,
  runSlots: count,
  blockedForMs: z.number(),
  opensInMs: z.number(),
});

const gatePacing = z.strictObject({
  nowMs: timeMs,
  fromMs: timeMs,
  ends: z
    .array(
      z.strictObject({
        atMs: timeMs,
        task: z.int().min(1),
        outcome: z.enum(["done", "skipped", "failed", "retry", "slow_down"]),
        reason: z.string().describe("empty: it was done"),
      }),
    )
    .describe("attempts that ended in this time, oldest first"),
  isComplete: z.boolean().describe("false: more ended; the newest 5,000 are here"),
  starts: z
    .array(
      z.strictObject({
        atMs: timeMs.describe("by the clock of its node"),
        gapMs: z.number().min(0).nullable().describe("since the previous start; null: not known"),
        delayMs: z.number().min(0).describe("the required gap; 0: none"),
        task: z.int().min(1),
        node: z.string(),
        worker: z.string(),
      }),
    )
    .describe("requests that workers sent to the host, oldest first; nodes keep the newest"),
  early: count.describe("starts that came earlier than the required gap allows"),
  waits: z
    .array(z.strictObject({ fromMs: timeMs, untilMs: timeMs, task: z.int().min(1) }))
    .describe("waits that the host asked for (Retry-After)"),
  holders: z
    .array(z.strictObject({ worker: z.string(), task: z.int().min(1), leaseLeftMs: z.number() }))
    .describe("workers that run tasks of the gate now, at most 20"),
});

const lane = {
  kind: name.optional(),
  job: name.optional(),
  gate: z.string().max(500).optional().describe("empty: tasks without a gate"),
};

const namePage = z.strictObject({ after: pageCursor.optional(), limit: pageLimit });

export const taskFilter = {
  state: z.array(z.enum(taskStates)).max(5).optional(),
  ...lane,
  keyPrefix: name.optional(),
  text: name.optional().describe("in the JSON text of the payload"),
  waits: z.enum(waitingReasonNames).optional().describe("pending, for this reason"),
  error: name.optional().describe("text in the last error, or the `error` of a group of /api/queue/failures"), // prettier-ignore
};

const failureRow = z.strictObject({
  error: z.string().describe("with … in place of the parts that differ between tasks"),
  kind: z.string(),
  count,
  firstAtMs: timeMs,
  lastAtMs: timeMs,
  exampleId: z.int().min(1),
  example: z.string().describe("the whole error of that task"),
});

export const queueRoutes = {
  queueStats: route({
    method: "GET",
    path: "/api/queue/stats",
    scope: "queue:read",
    summary: "tasks by state, what they wait for, and how long",
    answer: queueStats,
    commands: ["queue stats", "top"],
  }),
  queueServer: route({
    method: "GET",
    path: "/api/queue/server",
    scope: "queue:read",
    summary: "health of the PostgreSQL server of the queue; null: the queue has no server",
    answer: z.strictObject({
      server: z
        .strictObject({
          connectionsUsed: count.describe("of all its clients"),
          connectionsMax: count,
          databaseBytes: z.number(),
          deadRows: z.number().describe("changed or deleted, and not cleaned up yet"),
          cacheHitShare: z.number().min(0).max(1),
          longestTransactionMs: z.number(),
        })
        .nullable(),
    }),
  }),
  waitingAges: route({
    method: "GET",
    path: "/api/queue/waits",
    scope: "queue:read",
    summary: "how long pending tasks have waited since they were added, for each reason",
    answer: z.strictObject({
      reasons: z.array(waits.extend({ reason: z.enum(waitingReasonNames) })),
      read: count,
      isComplete: z.boolean().describe("false: more tasks are pending; the oldest were read"),
    }),
  }),
  queueActivity: route({
    method: "GET",
    path: "/api/queue/activity",
    scope: "queue:read",
    summary: "recent work of each kind or host, as measured by the workers",
    query: z.strictObject({
      by: z.enum(["kind", "gate"]).default("kind"),
      name: z.array(name).max(100).optional().describe("only these kinds or gates"),
      minutes: z.int().min(5).max(1_440).default(60),
    }),
    answer: z.strictObject({
      fromMs: timeMs,
      stepMs: z.number(),
      rows: z.array(
        z.strictObject({
          name: z.string(),
          starts: z.array(count).describe("attempts that started in each step"),
          busy: z.number().min(0).describe("attempts that ran at once, on average"),
          runs: waits.describe("how long attempts ran"),
        }),
      ),
    }),
  }),
  queueThroughput: route({
    method: "GET",
    path: "/api/queue/throughput",
    scope: "queue:read",
    summary: "how many tasks finished in each minute, and how long the rest may take",
    query: z.strictObject({ minutes: z.int().min(5).max(1_440).default(60) }),
    answer: z.strictObject({
      times: z
        .array(z.int())
        .describe("seconds since 1970, by the queue's clock: when a step begins"),
      done: z.array(z.number()).describe("per minute; skipped tasks count too"),
      failed: z.array(z.number()),
      isComplete: z.boolean().describe("false: more tasks finished than were counted"),
      left: count.describe("pending and running"),
      leftMinutes: z
        .tuple([z.number(), z.number()])
        .nullable()
        .describe("from, to; null: nothing has finished lately"),
    }),
  }),
  listTasks: route({
    method: "GET",
    path: "/api/queue/tasks",
    scope: "queue:read",
    summary: "tasks in order of their number",
    query: z.strictObject({
      ...taskFilter,
      hasWaiting: z.boolean().default(false).describe("also return why each pending task waits"),
      after: pageCursor.optional(),
      limit: pageLimit,
    }),
    answer: pageOf(taskRow.extend({ waiting: waiting.optional() })),
    commands: ["queue list"],
  }),
  listFailures: route({
    method: "GET",
    path: "/api/queue/failures",
    scope: "queue:read",
    summary: "failed tasks, grouped by their error",
    query: z.strictObject(lane),
    answer: z.strictObject({
      rows: z.array(failureRow).describe("the largest group first"),
      read: count.describe("how many failed tasks were read"),
      isComplete: z.boolean().describe("false: more failed; the newest 50,000 were read"),
    }),
    commands: ["queue failures"],
  }),
  showTask: route({
    method: "GET",
    path: "/api/queue/tasks/{id}",
    scope: "queue:read",
    summary: "one task: every attempt, and why it waits",
    params: z.strictObject({ id: z.int().min(1) }),
    answer: shownTask,
    commands: ["queue show"],
  }),
  listJobs: route({
    method: "GET",
    path: "/api/queue/jobs",
    scope: "queue:read",
    summary: "jobs in order of name, with progress and limits",
    query: namePage,
    answer: pageOf(jobRow),
    commands: ["queue jobs"],
  }),
  showJob: route({
    method: "GET",
    path: "/api/queue/jobs/{job}",
    scope: "queue:read",
    summary: "one job",
    params: z.strictObject({ job: name }),
    answer: jobRow,
    commands: ["queue job"],
  }),
  listGates: route({
    method: "GET",
    path: "/api/queue/gates",
    scope: "queue:read",
    summary: "gates that have tasks, in order of name, and whether they are open",
    query: namePage,
    answer: pageOf(gateRow),
    commands: ["queue gates"],
  }),
  gatePacing: route({
    method: "GET",
    path: "/api/queue/gates/{gate}/pacing",
    scope: "queue:read",
    summary:
      "when requests to a host were sent and visits ended, which it answered with 429 or 503, and who visits it now",
    params: z.strictObject({ gate: name }),
    query: z.strictObject({ minutes: z.int().min(1).max(10_080).default(60) }),
    answer: gatePacing,
    commands: ["queue pacing"],
  }),
  showGate: route({
    method: "GET",
    path: "/api/queue/gates/{gate}",
    scope: "queue:read",
    summary: "one gate",
    params: z.strictObject({ gate: name }),
    answer: gateRow,
    commands: ["queue gate"],
  }),
};
