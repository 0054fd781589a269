import {
  createWaitingReader,
  endedAttempts,
  groupFailures,
  readPacing,
  readWaitingAges,
  searchTasks,
  type Gate,
  type LogEntry,
  type NamePage,
  type Queue,
} from "../../queue/index.ts";
import { activityOf, pacingStarts, type SeenAttempt } from "../../worker/index.ts";
import type { queueRoutes } from "../contract/queue-routes.ts";
import type { HandlersOf } from "../handler.ts";
import { readThroughput } from "./queue-throughput.ts";
import { notFound, ProblemError } from "../problems.ts";

export const queueHandlers: HandlersOf<typeof queueRoutes> = {
  async queueStats(_, { queue: open }) {
    const queue = await open();
    const [{ ms }, stats, log] = await Promise.all([queue.now(), queue.stats(), queue.logStats()]);
    return { atMs: ms, ...stats, log };
  },
  queueServer: async (_, { queue: open }) => ({
    server: (await (await open()).server()) ?? null,
  }),
  queueThroughput: async ({ query: { minutes } }, { queue: open, history }) =>
    await readThroughput(await open(), { minutes, history: () => history("minute") }),
  async waitingAges(_, { queue: open, signal }) {
    const { reasons, ...rest } = await readWaitingAges(await open(), signal);
    return { reasons: [...reasons], ...rest };
  },
  async queueActivity({ query: { by, name: names, minutes } }, { fleet, clock }) {
    const untilMs = clock.nowMs();
    const fromMs = untilMs - 60_000 * minutes;
    const rows = activityOf(await fleet.attempts({}), { by, names, fromMs, untilMs, steps: activitySteps }); // prettier-ignore
    return {
      fromMs,
      stepMs: (untilMs - fromMs) / activitySteps,
      rows: rows.map(({ starts, ...row }) => ({ ...row, starts: [...starts] })),
    };
  },
  async listTasks({ query: { state, after, hasWaiting, ...query } }, { queue: open }) {
    const queue = await open();
    const { tasks, nextId } = await searchTasks(queue, {
      ...defined(query),
      ...(state && { states: state }),
      ...(after !== undefined && { afterId: idOf(after) }),
    });
    const waiting = hasWaiting ? await createWaitingReader(queue).read(tasks) : undefined;
    return {
      rows: tasks.map((task) => {
        const why = waiting?.get(task.id);
        return { ...asEnded(task), ...(why && { waiting: why }) };
      }),
      next: nextId === undefined ? null : String(nextId),
    };
  },
  async listFailures({ query }, { queue: open, signal }) {
    const { groups, ...rest } = await groupFailures(await open(), defined(query), signal);
    return { rows: [...groups], ...rest };
  },
  async showTask({ params: { id } }, { queue: open, fleet }) {
    const queue = await open();
    const measured = (await fleet.attempts({ task: id })).map(measuredValue).toSorted((a, b) => a.startedAtMs - b.startedAtMs); // prettier-ignore
    const shown = await queue.show(id);
    if (shown) {
      const { task, worker, waiting, ageMs } = shown;
      const leaseLeftMs =
        task.state === "running" ? task.expiresAtMs - (task.createdAtMs + ageMs) : null;
      return {
        ...asEnded(task),
        measured,
        isArchived: false,
        ageMs,
        waiting: waiting ?? null,
        worker: worker ?? null,
        leaseLeftMs,
      };
    }
    const entry = await queue.logEntry(id);
    if (!entry) throw notFound(`task ${id}: it was never added, or was pruned from the log`);
    const { ms } = await queue.now();
    const ageMs = ms - entry.createdAtMs;
    return {
      ...archivedTask(entry),
      measured,
      ageMs,
      waiting: null,
      worker: null,
      leaseLeftMs: null,
    };
  },
  listJobs: async ({ query }, { queue: open }) =>
    await pageByName((page) => use(open, (queue) => queue.jobs(page)), query),
  async showJob({ params: { job } }, { queue: open }) {
    const found = await (await open()).job(job);
    if (!found) throw notFound(`job '${job}'`);
    return found;
  },
  async listGates({ query }, { queue: open }) {
    const queue = await open();
    const { ms } = await queue.now();
    const { rows, next } = await pageByName((page) => queue.gates(page), query);
    return { rows: rows.map((gate) => gateValue(gate, ms)), next };
  },
  gatePacing: async ({ params: { gate }, query: { minutes } }, { queue: open, fleet, signal }) => {
    const [{ ends, holders, ...rest }, attempts] = await Promise.all([
      readPacing(await open(), gate, { minutes, signal }),
      fleet.attempts({ gate }),
    ]);
    const { starts, waits, early } = pacingStarts(attempts, rest.fromMs);
    return {
      ...rest,
      ends: [...ends],
      starts: starts.map(({ gapMs, ...start }) => ({ ...start, gapMs: gapMs ?? null })),
      early,
      waits: [...waits],
      holders: [...holders],
    };
  },
  async showGate({ params: { gate } }, { queue: open }) {
    const queue = await open();
    const found = await queue.gate(gate);
    if (!found) throw notFound(`gate '${gate}'`);
    return gateValue(found, (await queue.now()).ms);
  },
};

const activitySteps = 60;

const use = async <T>(open: () => Promise<Queue>, work: (queue: Queue) => Promise<T>) =>
  work(await open());

export const gateValue = (gate: Gate, nowMs: number) => ({
  ...gate,
  blockedForMs: Math.max(0, gate.blockedUntilMs - nowMs),
  opensInMs: Math.max(0, gate.opensAtMs - nowMs),
});

export const asEnded = <T extends Parameters<typeof endedAttempts>[0]>(task: T): T => ({
  ...task,
  attempts: endedAttempts(task),
});

const measuredValue = ({ token, startedAtMs, ranMs, outcome, node, worker }: SeenAttempt) => ({
  token,
  startedAtMs,
  ranMs,
  outcome,
  node,
  worker,
});

/** The log has no payload and no result, among others. These fields get placeholder values. */
const archivedTask = (entry: LogEntry) => ({
  ...asEnded(entry),
  isArchived: true,
  payload: "null",
  result: null,
  priority: 0,
  dueAtMs: 0,
  token: 0,
  isSuspect: false,
  expiresAtMs: 0,
});

function idOf(cursor: string): number {
  const id = Number(cursor);
  if (/^\d{1,15}$/.test(cursor)) return id;
  throw new ProblemError(400, "bad_cursor", "query.after: use `next` of the previous page");
}

async function pageByName<Row extends { readonly name: string }>(
  read: (page: NamePage) => Promise<readonly Row[]>,
  { after = "", limit }: { readonly after?: string | undefined; readonly limit: number },
) {
  const rows = await read({ after, limit });
  return { rows, next: rows.length === limit ? rows.at(-1)!.name : null };
}

/** Removes fields that are undefined, because the queue rejects them. */
export const defined = <T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
