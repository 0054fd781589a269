/** Answers about the queue: kinds, tasks in every state, failures, hosts. */
import { nowMs } from "./fixture-data.ts";

const waits = { count: 4_120, p50Ms: 1_900, p95Ms: 41_000, p99Ms: 190_000 };
const reason = (name: string, count: number, share: number, oldestAgeMs: number) => ({ reason: name, count, share, oldestAgeMs }); // prettier-ignore
const kind = (name: string, pending: number, running: number, done: number, failed: number) => ({ kind: name, pending, running, done, skipped: 4, failed, claimable: 0, claimableAgeMs: 0, reasons: [], waits }); // prettier-ignore

export const sampleQueueStats = {
  atMs: nowMs,
  states: { pending: 1_284, running: 18, done: 6_894, skipped: 12, failed: 41 },
  reasons: [
    reason("paused", 38, 0.03, 900_000),
    reason("scheduled", 0, 0, 0),
    reason("retry_backoff", 52, 0.04, 300_000),
    reason("domain_delay", 1_040, 0.81, 41_000),
    reason("concurrency_limit", 0, 0, 0),
    reason("worker_capacity", 154, 0.12, 12_000),
  ],
  kinds: [
    kind("details", 220, 4, 3_871, 0),
    { ...kind("discover", 128, 2, 412, 38), claimable: 12, claimableAgeMs: 840_000 },
    kind("enrich", 936, 12, 2_611, 3),
  ],
  shards: [],
  waits,
  lanes: 40,
  gates: 312,
  jobs: { open: 2, paused: 1, ended: 1 },
  raises: { raised: 10, unchanged: 2 },
  log: { entries: 9_100, oldestAtMs: nowMs - 1e8, keptKeys: 0 },
};

const job = (name: string, more: object) => ({ name, isPaused: false, isSealed: false, ended: null, concurrency: null, budget: null, gate: "", slots: 0, added: 10_452, overBudget: 0, pending: 0, running: 0, done: 0, skipped: 0, failed: 0, completions: 0, openedAtMs: nowMs - 8e7, endedAtMs: 0, served: 0, requests: 0, ...more }); // prettier-ignore
export const sampleJobs = [
  job("austin-flooring", { pending: 1_246, running: 18, done: 6_400, skipped: 12, failed: 41, concurrency: 40 }), // prettier-ignore
  job("munich-bakers", { pending: 38, done: 82, isPaused: true }),
  job("leads-2026-11", { done: 412, ended: "completed", endedAtMs: nowMs - 7_200_000 }),
];

const task = (id: number, more: object) => ({ id, kind: "enrich", job: "austin-flooring", gate: "capital-hardwood-floors.example", key: "https://capital-hardwood-floors.example/", payload: '{"target":"company/c0","url":"https://capital-hardwood-floors.example/","after":"2026-11-16T09:00:00.000Z","round":12345678901234567890}', priority: 500, dueAtMs: 0, createdAtMs: nowMs - 400_000, state: "pending", token: 0, used: 0, attemptsMax: 5, isSuspect: false, expiresAtMs: 0, attempts: [], result: null, finishedAtMs: 0, ...more }); // prettier-ignore
const attempt = (token: number, atMs: number, outcome: string, why: string, stack?: string) => ({ token, atMs, outcome, reason: why, ...(stack !== undefined && { stack }) }); // prettier-ignore
const stack = "at fetchTile (discover.ts:88:11)\nat async run (worker.ts:210:5)";
const overpass = "PlacesBusyError: overpass.example answered 429 for tile 30.2_-97.8";

export const sampleTasks = [
  task(4_711, { kind: "discover", gate: "overpass.example", key: "discover 30.2_-97.8", state: "failed", used: 5, finishedAtMs: nowMs - 240_000, attempts: [attempt(7, nowMs - 900_000, "retry", overpass), attempt(9, nowMs - 500_000, "expired", "its lease ended"), attempt(12, nowMs - 240_000, "fail", overpass, stack)] }), // prettier-ignore
  task(4_712, { waiting: { reason: "domain_delay", forMs: 1_400 } }),
  task(4_713, { gate: "lone-star-tile.example", key: "https://lone-star-tile.example/", used: 1, attempts: [attempt(3, nowMs - 60_000, "retry", "FetchError: connect ETIMEDOUT")], dueAtMs: nowMs + 120_000, waiting: { reason: "retry_backoff", forMs: 120_000 } }), // prettier-ignore
  task(4_714, { job: "munich-bakers", gate: "", kind: "discover", key: "discover 48.1_11.5", waiting: { reason: "paused" } }), // prettier-ignore
  task(4_715, {
    waiting: { reason: "worker_capacity" },
    gate: "",
    kind: "details",
    key: "osm/4411",
  }),
  task(4_716, { state: "running", used: 1, expiresAtMs: nowMs + 41_000, key: "https://bluebonnet-tile.example/contact", gate: "bluebonnet-tile.example" }), // prettier-ignore
  task(4_717, { state: "done", used: 1, finishedAtMs: nowMs - 80_000, result: '{"emails":2,"pages":4}' }), // prettier-ignore
  task(4_718, { waiting: { reason: "concurrency_limit" }, gate: "" }),
  task(4_719, { waiting: { reason: "scheduled", forMs: 7_200_000 }, dueAtMs: nowMs + 7_200_000, gate: "" }), // prettier-ignore
];

export const sampleFailures = {
  rows: [
    { error: "PlacesBusyError: … answered 429 for tile …", kind: "discover", count: 38, firstAtMs: nowMs - 9_000_000, lastAtMs: nowMs - 240_000, exampleId: 4_711, example: overpass }, // prettier-ignore
    { error: "FetchError: certificate of … has expired", kind: "enrich", count: 3, firstAtMs: nowMs - 4_000_000, lastAtMs: nowMs - 1_900_000, exampleId: 4_711, example: "FetchError: certificate of live-oak.example has expired" }, // prettier-ignore
  ],
  read: 41,
  isComplete: true,
};

const sampleSelection = { id: "s1", count: 38, isComplete: true, samples: ["4711 discover 30.2_-97.8", "4712 discover 30.3_-97.8"], atMs: nowMs, expiresAtMs: nowMs + 3_600_000 }; // prettier-ignore
const sampleActions = [{ action: "retry", by: "operator", atMs: nowMs - 30_000, state: "running", done: 20, changed: 20, canUndo: false, fault: null }]; // prettier-ignore

const gate = (name: string, more: object = {}) => ({ name, delayMs: 1_000, limit: 1, blockedUntilMs: 0, opensAtMs: nowMs - 400, running: 0, runSlots: 0, blockedForMs: 0, opensInMs: 0, ...more }); // prettier-ignore
export const sampleGates = [
  gate("bluebonnet-tile.example", { running: 1, runSlots: 1 }),
  gate("capital-hardwood-floors.example", { opensInMs: 620 }),
  gate("lone-star-tile.example"),
  gate("overpass.example", { delayMs: 10_000, blockedUntilMs: nowMs + 240_000, blockedForMs: 240_000 }), // prettier-ignore
];

function samplePacing(minutes: number) {
  const fromMs = nowMs - 60_000 * minutes;
  const ends = Array.from({ length: 160 }, (_, at) => ({
    atMs: fromMs + ((nowMs - fromMs) * (at + 0.4 * Math.sin(7 * at))) / 160,
    task: 4_500 + at,
    outcome: at > 60 && at < 70 ? "retry" : at === 110 || at === 112 ? "slow_down" : "done",
    reason: at > 60 && at < 70 ? "FetchError: timeout" : at === 110 || at === 112 ? overpass : "",
  })).filter((_, at) => at < 113 || at > 124);
  const starts = ends.map(({ atMs, task }, at) => ({ atMs: atMs - 300, gapMs: at === 0 ? null : Math.round(atMs - ends[at - 1]!.atMs), delayMs: 10_000, task, node: at % 3 === 0 ? "pi-3" : "pi-2", worker: "pi-2.1.4021" })); // prettier-ignore
  const waits = [{ fromMs: ends[111]!.atMs, untilMs: ends[113]?.atMs ?? nowMs, task: 4_610 }];
  return { nowMs, fromMs, ends, starts, early: 0, waits, isComplete: true, holders: [{ worker: "pi-2/3", task: 4_716, leaseLeftMs: 41_000 }] }; // prettier-ignore
}

const historyNames = ["tasksClaimed", "tasksDone", "tasksFailed", "tasksPending", "tasksRunning", "waiting_domain_delay", "waiting_worker_capacity", "waiting_paused", "callP50Ms", "callP95Ms", "callP99Ms", "slotsActive", "slotsIdle", "slotsWaiting", "cacheHits", "cacheMisses", "cacheInvalidations", "limiterKeys", "cacheEntries", "memoryUsedBytes", "processBytes", "load1"]; // prettier-ignore
function sampleHistory(by: string) {
  const stepMs = by === "hour" ? 3_600_000 : 60_000;
  const times = Array.from({ length: 720 }, (_, at) => nowMs - (719 - at) * stepMs);
  const scaleOf = (name: string, at: number) =>
    (name.endsWith("Bytes") ? 1e9 : 20) * (1 + ((at * 7) % 5));
  const series = historyNames.map((name, which) => [
    name,
    times.map((_, at) => Math.round(100 * scaleOf(name, which) * (1 + 0.5 * Math.sin(at / 40 + which))) / 100), // prettier-ignore
  ]);
  return { stepMs, times, series: Object.fromEntries(series) as unknown };
}

const sampleWaits = { count: 640, p50Ms: 1_900, p95Ms: 41_000, p99Ms: 180_000 };

function sampleActivity(query: URLSearchParams) {
  const names = query.get("by") === "gate" ? query.getAll("name").slice(0, 3) : ["details", "discover", "enrich"]; // prettier-ignore
  const rows = names.map((name, which) => ({
    name,
    starts: Array.from({ length: 60 }, (_, at) => Math.round(10 * (which + 1) * (1 + Math.sin(at / 6 + which)))), // prettier-ignore
    busy: 1.4 * (which + 1),
    runs: { ...sampleWaits, p50Ms: 800 * (which + 1) },
  }));
  return { fromMs: nowMs - 3_600_000, stepMs: 60_000, rows };
}

const measuredOf = ({ attempts }: { readonly attempts: readonly { readonly token: number; readonly atMs: number; readonly outcome: string }[] }) => attempts.map(({ token, atMs, outcome }) => ({ token, startedAtMs: atMs - 12_400, ranMs: 12_400, outcome, node: "pi-2", worker: "pi-2.1.4021" })); // prettier-ignore

/** Undefined: not about the queue. */
export function queueAnswer(method: string, path: string, query: URLSearchParams): unknown {
  const id = Number(/^\/api\/queue\/tasks\/(\d+)$/.exec(path)?.[1]);
  const shown = sampleTasks.find((one) => one.id === id);
  if (shown) {
    const isRunning = (shown as { state: string }).state === "running";
    return { waiting: null, ...shown, measured: measuredOf(shown), isArchived: false, ageMs: nowMs - shown.createdAtMs, worker: isRunning ? "pi-2/3" : null, leaseLeftMs: isRunning ? 41_000 : null }; // prettier-ignore
  }
  const name = decodeURIComponent(/^\/api\/queue\/jobs\/([^/]+)/.exec(path)?.[1] ?? "");
  const found = sampleJobs.find((one) => one.name === name);
  if (found) return found;
  const [, host, isPacing] = /^\/api\/queue\/gates\/([^/]+)(\/pacing)?$/.exec(path) ?? [];
  if (host !== undefined) {
    if (isPacing !== undefined) return samplePacing(Number(query.get("minutes") ?? 60));
    return sampleGates.find((one) => one.name === decodeURIComponent(host));
  }
  switch (path) {
    case "/api/queue/gates":
      return { rows: sampleGates, next: null };
    case "/api/history":
      return sampleHistory(query.get("by") ?? "minute");
    case "/api/queue/stats":
      return sampleQueueStats;
    case "/api/queue/tasks": {
      const states = query.getAll("state");
      const waitsFor = query.get("waits");
      const rows = sampleTasks.filter(
        (one) =>
          (states.length === 0 || states.includes((one as { state: string }).state)) &&
          (waitsFor === null || (one as { waiting?: { reason: string } }).waiting?.reason === waitsFor), // prettier-ignore
      );
      return { rows, next: null };
    }
    case "/api/queue/activity":
      return sampleActivity(query);
    case "/api/queue/waits":
      return { reasons: [{ reason: "domain_delay", ...sampleWaits }, { reason: "worker_capacity", ...sampleWaits }], read: 1_284, isComplete: true }; // prettier-ignore
    case "/api/views":
      return { rows: [{ screen: "tasks", name: "failed visits", search: "q=state%3Afailed+kind%3Aenrich", by: "hand:anna", at: new Date(nowMs - 3_600_000).toISOString() }] }; // prettier-ignore
    case "/api/queue/jobs":
      return { rows: sampleJobs, next: null };
    case "/api/queue/failures":
      return sampleFailures;
    case "/api/selections/tasks":
      return method === "GET"
        ? { rows: [{ ...sampleSelection, actions: sampleActions }] }
        : { ...sampleSelection, actions: [] };
    default:
      return undefined;
  }
}
