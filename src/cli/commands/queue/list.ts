import { openQueueToRead } from "../../../app/index.ts";
import { formatDuration, formatMoment } from "../../../base/text/format-time.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Queue, Task, TaskPage, TaskSearch, TaskState } from "../../../queue/index.ts";
import type { Command, Flags } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import {
  allOption,
  emptyPageText,
  pageOption,
  readListPage,
  rowsOfPage,
} from "../../terminal/list-page.ts";
import type { TableColumn, Tint } from "../../terminal/table.ts";
import { browseAll, lastReason, searchTasks, waitingReasons } from "../../../queue/index.ts";
import {
  errorOption,
  laneOptions,
  parseId,
  readLaneFilter,
  readStates,
  requireJob,
  stateOption,
} from "./parts/filters.ts";
import { taskValue } from "./parts/task-value.ts";

const states: readonly TaskState[] = ["pending", "running", "done", "skipped", "failed"];
const limitMax = 10_000;

export const queueList: Command = {
  needs: "settings",
  options: [
    stateOption(states, "all"),
    ...laneOptions,
    { flag: "--key-prefix", value: "text", summary: "only tasks whose key has this prefix" },
    { flag: "--text", value: "text", summary: "only tasks with this text in their payload" },
    { flag: "--waits", value: "reason", summary: "only tasks that wait for this reason", choices: waitingReasons }, // prettier-ignore
    errorOption,
    { flag: "--limit", value: "count", summary: `how many, up to ${limitMax}`, default: "100" },
    { flag: "--after", value: "id", summary: "continue after this task" },
    pageOption,
    allOption,
  ],
  examples: [
    { line: "forager queue list --state failed", summary: "failed tasks" },
    { line: "forager queue list --job nightly --after 1200 --limit 50", summary: "the next page" },
    {
      line: "forager queue list --waits domain_delay --limit 20",
      summary: "tasks that wait for their host",
    },
    {
      line: "forager queue list --gate example.org --text contact --json",
      summary: "by host and payload; JSON is { tasks, after }, after is null on the last page",
    },
  ],

  async run(context) {
    const { flags, out, clock, signal } = context;
    const page = readListPage(flags, 100);
    if (page.limit !== Infinity && page.limit > limitMax) {
      throw usageError(`--limit takes at most ${limitMax}: use --all, or --page for the next rows`);
    }
    const query = { ...readQuery(flags), limit: page.skip + page.limit };
    await using queue = await openQueueToRead(context);
    if (query.job !== undefined) await requireJob(queue, query.job);
    let [count, lastId] = [0, 0];
    async function* tasks() {
      for await (const task of rowsOfPage(tasksOf(queue, query, signal), page).rows) {
        [count, lastId] = [count + 1, task.id];
        yield task;
      }
    }
    const after = () => (count === page.limit ? lastId : null);
    const { limit: _limit, ...filters } = query;
    await out.list(tasks(), {
      columns: columnsAt(clock.nowMs()),
      empty: emptyPageText(
        page,
        Object.keys(filters).length === 0
          ? "the queue has no tasks: `forager queue log` shows those that ended earlier"
          : "no task matches: `forager queue stats` counts all, `forager queue log` shows those that ended earlier",
      ),
      value: taskValue,
      member: { name: "tasks", rest: () => ({ after: after() }) },
    });
    if (after() !== null)
      out.note(`there may be more: add --page ${page.page + 1}, --after ${after()} or --all`);
  },
};

/** A search stops after comparing this many tasks, and the next one continues after them. */
async function* tasksOf(queue: Queue, query: TaskSearch, signal: AbortSignal) {
  const { waits, error, limit = 100 } = query;
  if (waits === undefined && error === undefined) return yield* browseAll(queue, query, signal);
  let afterId: number | undefined = query.afterId ?? 0;
  for (let left = limit; left > 0 && afterId !== undefined; signal.throwIfAborted()) {
    const page: TaskPage = await searchTasks(queue, {
      ...query,
      afterId,
      limit: Math.min(left, limitMax),
    });
    yield* page.tasks;
    left -= page.tasks.length;
    afterId = page.nextId;
  }
}

function readQuery(flags: Flags): TaskSearch {
  const [keyPrefix, text] = [textFlag(flags, "keyPrefix"), textFlag(flags, "text")];
  const after = textFlag(flags, "after");
  const waits = waitingReasons.find((reason) => reason === flags["waits"]);
  const error = textFlag(flags, "error");
  const chosen = readStates(flags, states);
  return {
    ...readLaneFilter(flags),
    ...(chosen === undefined ? {} : { states: chosen }),
    ...(keyPrefix === undefined ? {} : { keyPrefix }),
    ...(text === undefined ? {} : { text }),
    ...(waits === undefined ? {} : { waits }),
    ...(error === undefined ? {} : { error }),
    ...(after === undefined ? {} : { afterId: after === "0" ? 0 : parseId("--after", after) }),
  };
}

const tints: Readonly<Partial<Record<TaskState, Tint>>> = {
  running: "warn",
  done: "good",
  failed: "bad",
};

const columnsAt = (nowMs: number): readonly TableColumn<Task>[] => [
  { title: "id", value: (task) => task.id, isKey: true },
  { title: "state", value: (task) => task.state, tint: (task) => tints[task.state] },
  { title: "kind", value: (task) => task.kind },
  { title: "job", value: (task) => task.job },
  { title: "gate", value: (task) => task.gate },
  { title: "key", value: (task) => task.key, isKey: true },
  { title: "priority", value: (task) => task.priority },
  { title: "tries", value: (task) => `${task.used}/${task.attemptsMax}` },
  { title: "when", value: (task) => describeTime(task, nowMs) },
  { title: "last reason", value: lastReason },
];

function describeTime(task: Task, nowMs: number): string {
  if (task.state === "running") return "";
  if (task.state !== "pending") return formatMoment(task.finishedAtMs);
  return task.dueAtMs > nowMs ? `in ${formatDuration(task.dueAtMs - nowMs)}` : "due";
}
