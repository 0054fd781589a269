/** The charts, each with the names of its series in the history. */
export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly unit: "count" | "ms" | "bytes" | "share" | "dollars";
  /** A short explanation next to the title. */
  readonly note: string;
  readonly series: readonly ChartSeries[];
}

interface ChartSeries {
  readonly name: string;
  readonly label: string;
  /** A colour of the stylesheet. */
  readonly colour: string;
}

const series = (name: string, label: string, colour: string): ChartSeries => ({ name, label, colour }); // prettier-ignore

export const charts: readonly ChartSpec[] = [
  {
    id: "finished",
    title: "Tasks claimed and finished",
    note: "per minute, by this node",
    unit: "count",
    series: [
      series("tasksClaimed", "claimed", "--tile-expired"),
      series("tasksDone", "done", "--accent"),
      series("tasksFailed", "failed", "--bad"),
    ],
  },
  {
    id: "open",
    title: "Open tasks",
    note: "of all nodes",
    unit: "count",
    series: [
      series("tasksPending", "pending", "--tile-expired"),
      series("tasksRunning", "running", "--accent"),
    ],
  },
  {
    id: "waiting",
    title: "Why tasks wait",
    note: "pending tasks by reason",
    unit: "count",
    series: [
      series("waiting_domain_delay", "host delay", "--tile-fresh"),
      series("waiting_worker_capacity", "worker capacity", "--accent"),
      series("waiting_retry_backoff", "retry later", "--tile-expired"),
      series("waiting_concurrency_limit", "job limit", "--warn"),
      series("waiting_scheduled", "scheduled", "--dim"),
      series("waiting_paused", "paused", "--tile-failed"),
    ],
  },
  {
    id: "waits",
    title: "Wait before the start",
    note: "percentiles since the queue was created",
    unit: "ms",
    series: [
      series("waitP50Ms", "50 %", "--tile-fresh"),
      series("waitP95Ms", "95 %", "--warn"),
      series("waitP99Ms", "99 %", "--bad"),
    ],
  },
  {
    id: "calls",
    title: "Transactions",
    note: "duration of calls to the queue, including the commit",
    unit: "ms",
    series: [
      series("callP50Ms", "50 % at most", "--tile-fresh"),
      series("callP95Ms", "95 % at most", "--warn"),
      series("callP99Ms", "99 % at most", "--bad"),
    ],
  },
  {
    id: "slow",
    title: "Slow and failed transactions",
    note: "per minute; slow is over a second",
    unit: "count",
    series: [series("callsSlow", "slow", "--warn"), series("callsFailed", "failed", "--bad")],
  },
  {
    id: "slots",
    title: "Worker slots",
    note: "waiting: claimed tasks that wait for their start time or a limit",
    unit: "count",
    series: [
      series("slotsActive", "active", "--accent"),
      series("slotsWaiting", "waiting", "--warn"),
      series("slotsIdle", "idle", "--dim"),
    ],
  },
  {
    id: "pool",
    title: "Connection pool",
    note: "with PostgreSQL; waiting: calls without a connection",
    unit: "count",
    series: [
      series("poolActive", "active", "--accent"),
      series("poolIdle", "idle", "--dim"),
      series("poolWaiting", "waiting", "--bad"),
    ],
  },
  {
    id: "caches",
    title: "Caches",
    note: "lookups and invalidated entries per minute",
    unit: "count",
    series: [
      series("cacheHits", "hits", "--accent"),
      series("cacheMisses", "misses", "--warn"),
      series("cacheInvalidations", "invalidated", "--bad"),
    ],
  },
  {
    id: "sizes",
    title: "Limiter and cache entries",
    note: "entries in memory",
    unit: "count",
    series: [
      series("limiterKeys", "limiter keys", "--warn"),
      series("cacheEntries", "cache entries", "--accent"),
    ],
  },
  {
    id: "requests",
    title: "Requests",
    note: "per minute",
    unit: "count",
    series: [
      series("fetchRequests", "to websites", "--accent"),
      series("bucketRequests", "to the bucket", "--warn"),
    ],
  },
  {
    id: "memory",
    title: "Memory",
    note: "of the machine, and of the worker processes",
    unit: "bytes",
    series: [
      series("memoryUsedBytes", "machine", "--dim"),
      series("processBytes", "workers", "--accent"),
    ],
  },
  {
    id: "load",
    title: "Load",
    note: "average of one minute",
    unit: "count",
    series: [series("load1", "load", "--accent")],
  },
  {
    id: "cost",
    title: "Cost of the bucket",
    note: "dollars per minute",
    unit: "dollars",
    series: [series("bucketDollars", "dollars", "--accent")],
  },
  {
    id: "server",
    title: "PostgreSQL connections",
    note: "of all clients of the server",
    unit: "count",
    series: [
      series("connectionsUsed", "used", "--accent"),
      series("connectionsMax", "allowed", "--dim"),
    ],
  },
  {
    id: "database",
    title: "PostgreSQL database",
    note: "size",
    unit: "bytes",
    series: [series("databaseBytes", "size", "--accent")],
  },
  {
    id: "rows",
    title: "PostgreSQL dead rows",
    note: "changed or deleted, and not cleaned up yet",
    unit: "count",
    series: [series("deadRows", "dead rows", "--warn")],
  },
  {
    id: "hits",
    title: "PostgreSQL cache hits",
    note: "share of reads from memory",
    unit: "share",
    series: [series("cacheHitShare", "share", "--accent")],
  },
  {
    id: "longest",
    title: "PostgreSQL longest transaction",
    note: "open now",
    unit: "ms",
    series: [series("longestTransactionMs", "longest", "--warn")],
  },
];
