import { openQueueToRead, readReleaseRecords, type ReleaseRecord } from "../../../app/index.ts";
import { formatDuration, formatMoment } from "../../../base/text/format-time.ts";
import { endedAttempts, isRetriedByHand } from "../../../queue/index.ts";
import type { Attempt, LogEntry, Shown, Task, WaitingReason } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import type { Layout } from "../../terminal/output.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { toOneLine } from "../../../base/text/terminal-text.ts";
import { noSuchTask, parseId } from "./parts/filters.ts";
import { taskValue } from "./parts/task-value.ts";

export const queueShow: Command = {
  needs: "settings",
  arguments: [{ name: "id", summary: "the task's number, as `queue list` shows it" }],
  examples: [
    { line: "forager queue show 42", summary: "all its details: why it waits, every attempt" },
    { line: "forager queue show 42 --json", summary: "the same for a program" },
  ],

  async run(context) {
    const { args, out } = context;
    const id = parseId("queue show", args[0]!);
    await using queue = await openQueueToRead(context);
    const shown = await queue.show(id);
    if (!shown) {
      const entry = await queue.logEntry(id);
      if (!entry) throw noSuchTask(id);
      return out.result({ ...entry, attempts: endedAttempts(entry), isArchived: true }, (layout) =>
        describeEntry(entry, layout),
      );
    }
    const { task, worker, waiting, ageMs } = shown;
    const released =
      task.state === "pending"
        ? (await readReleaseRecords(context.paths, queue, context.settings)).find(
            ({ kind, job }) => kind === task.kind && job === task.job,
          )
        : undefined;
    const leaseLeftMs = task.state === "running" ? leaseLeft(shown) : undefined;
    out.result(
      {
        ...taskValue(task),
        ageMs,
        waiting: waiting ?? null,
        worker: worker ?? null,
        leaseLeftMs: leaseLeftMs ?? null,
        released: released ? { reason: released.reason, atMs: released.atMs } : null,
      },
      (layout) => describeTask(shown, layout, released),
    );
  },
};

const meanings: Readonly<Record<WaitingReason, string>> = {
  paused: "its job is paused, or was cancelled",
  scheduled: "it is due later",
  retry_backoff: "it is due again later, after a failed attempt",
  domain_delay: "its gate is blocked, pausing between starts, or held by another worker",
  concurrency_limit: "its job has reached its limit of running tasks",
  worker_capacity: "it is ready: no worker has claimed it yet",
};

function describeTask(shown: Shown, layout: Layout, released: ReleaseRecord | undefined): string {
  const { task, worker, ageMs } = shown;
  const pairs: readonly (readonly [string, string])[] = [
    ["task", String(task.id)],
    ["state", describeState(shown, released !== undefined)],
    ...(released
      ? [["released", `${formatMoment(released.atMs)} by this node: ${released.reason}`] as const]
      : []),
    ["kind", task.kind],
    ["job", task.job],
    ["gate", task.gate || "(none)"],
    ["key", task.key],
    ["priority", String(task.priority)],
    ["created", `${formatMoment(task.createdAtMs)}, ${formatDuration(ageMs)} ago`],
    ["due", task.dueAtMs === 0 ? "at once" : formatMoment(task.dueAtMs)],
    ["tries", triesOf(task)],
    ...(task.state === "running"
      ? [
          ["worker", worker ?? "(unknown)"] as const,
          ["lease", describeLease(leaseLeft(shown))] as const,
          ["token", String(task.token)] as const,
        ]
      : []),
    ...(task.finishedAtMs > 0 ? [["finished", formatMoment(task.finishedAtMs)] as const] : []),
  ];
  return [
    describePairs(pairs),
    `payload\n${indentJson(task.payload)}`,
    ...(task.result === null ? [] : [`result\n${indentJson(task.result)}`]),
    ...describeAttempts(endedAttempts(task), layout),
  ].join("\n\n");
}

const triesOf = (task: Task) =>
  `${task.used} of ${task.attemptsMax}` +
  (isRetriedByHand(task) ? ", counted from 0 again since it failed and was retried by hand" : "") +
  (task.isSuspect ? ", now runs alone" : "");

/** The text for a task that has only a log entry. */
function describeEntry(entry: LogEntry, layout: Layout): string {
  const pairs: readonly (readonly [string, string])[] = [
    ["task", `${entry.id}, in the log: its payload and result were removed`],
    ["state", entry.state],
    ["kind", entry.kind],
    ["job", entry.job],
    ["gate", entry.gate || "(none)"],
    ["key", entry.key],
    ["created", formatMoment(entry.createdAtMs)],
    ["finished", formatMoment(entry.finishedAtMs)],
    ["tries", `${entry.used} of ${entry.attemptsMax}`],
  ];
  return [describePairs(pairs), ...describeAttempts(endedAttempts(entry), layout)].join("\n\n");
}

const describePairs = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([name, value]) => `${name.padEnd(12)}${toOneLine(value)}`).join("\n");

function describeAttempts(attempts: readonly Attempt[], layout: Layout): readonly string[] {
  if (attempts.length === 0) return [];
  return [
    `failed attempts\n${layout.table(attempts, attemptColumns)}`,
    ...attempts.flatMap(({ stack, atMs }) =>
      stack === undefined
        ? []
        : [`where the attempt of ${formatMoment(atMs)} failed\n${indentLines(stack)}`],
    ),
  ];
}

function describeState({ task, waiting }: Shown, isReleased: boolean): string {
  if (!waiting) return task.state;
  const { reason, forMs } = waiting;
  const isGivenBack = isReleased && reason === "worker_capacity";
  const meaning = isGivenBack ? "a worker claimed it and released it" : meanings[reason];
  const howLong = forMs === undefined ? "" : `, ${formatDuration(forMs)} more at least`;
  return `${task.state}: ${reason} (${meaning})${howLong}`;
}

/**
 * Both times come from the queue's clock. Negative if the lease has expired and was not swept yet.
 */
const leaseLeft = ({ task, ageMs }: Shown) => task.expiresAtMs - (task.createdAtMs + ageMs);

const describeLease = (leftMs: number) =>
  leftMs > 0
    ? `${formatDuration(leftMs)} left`
    : `expired ${formatDuration(-leftMs)} ago; the next claim takes it back`;

const attemptColumns: readonly TableColumn<Attempt>[] = [
  { title: "at", value: (attempt) => formatMoment(attempt.atMs) },
  { title: "outcome", value: (attempt) => attempt.outcome },
  { title: "reason", value: (attempt) => attempt.reason, isNeverCut: true },
];

/**
 * Escapes control characters line by line, because payloads often contain text from other people.
 */
const indentLines = (text: string) =>
  text
    .split("\n")
    .map((line) => `  ${/^ */.exec(line)![0]}${toOneLine(line)}`)
    .join("\n");

const indentJson = (json: string) =>
  indentLines(JSON.stringify(JSON.parse(json) as unknown, null, 2));
