import type { Attempt, Shown, WaitingReason } from "../../queue/index.ts";
import type { Command } from "../command.ts";
import { formatDuration, formatMoment } from "../duration.ts";
import type { Layout } from "../output.ts";
import type { Column } from "../table.ts";
import { toOneLine } from "../../base/terminal-text.ts";
import { noSuchTask, parseId } from "./queue/filters.ts";
import { openExistingQueue } from "./queue/open-queue.ts";
import { taskValue } from "./queue/task-value.ts";

export const queueShow: Command = {
  needs: "settings",
  arguments: [{ name: "id", summary: "the task's number, as `queue list` shows it" }],
  examples: [
    { line: "forager queue show 42", summary: "everything about it: why it waits, every attempt" },
    { line: "forager queue show 42 --json", summary: "the same for a program" },
  ],

  async run(context) {
    const { args, out } = context;
    const id = parseId("queue show", args[0]!);
    await using queue = await openExistingQueue(context);
    const shown = await queue.show(id);
    if (!shown) throw noSuchTask(id);
    const { task, worker, waiting, ageMs } = shown;
    const leaseLeftMs = task.state === "running" ? leaseLeft(shown) : undefined;
    out.result(
      {
        ...taskValue(task),
        ageMs,
        waiting: waiting ?? null,
        worker: worker ?? null,
        leaseLeftMs: leaseLeftMs ?? null,
      },
      (layout) => describeTask(shown, layout),
    );
  },
};

const meanings: Readonly<Record<WaitingReason, string>> = {
  paused: "its job is paused, or was cancelled",
  scheduled: "it is due later",
  retry_backoff: "it is due again later, after a failed attempt",
  domain_delay: "its gate is blocked, pausing between starts, or in another worker's hands",
  concurrency_limit: "its job has all at work that it may have",
  worker_capacity: "nothing stands in its way: no worker has asked for it",
};

function describeTask(shown: Shown, layout: Layout): string {
  const { task, worker, ageMs } = shown;
  const pairs: readonly (readonly [string, string])[] = [
    ["task", String(task.id)],
    ["state", describeState(shown)],
    ["kind", task.kind],
    ["job", task.job],
    ["gate", task.gate || "(none)"],
    ["key", task.key],
    ["priority", String(task.priority)],
    ["created", `${formatMoment(task.createdAtMs)}, ${formatDuration(ageMs)} ago`],
    ["due", task.dueAtMs === 0 ? "at once" : formatMoment(task.dueAtMs)],
    ["tries", `${task.used} of ${task.attemptsMax}${task.isSuspect ? ", now runs alone" : ""}`],
    ...(task.state === "running"
      ? [
          ["worker", worker ?? "(unknown)"] as const,
          ["lease", describeLease(leaseLeft(shown))] as const,
          ["token", String(task.token)] as const,
        ]
      : []),
    ...(task.finishedAtMs > 0 ? [["finished", formatMoment(task.finishedAtMs)] as const] : []),
  ];
  const sections = [
    pairs.map(([name, value]) => `${name.padEnd(10)}${toOneLine(value)}`).join("\n"),
    `payload\n${indentJson(task.payload)}`,
    ...(task.result === null ? [] : [`result\n${indentJson(task.result)}`]),
    ...(task.attempts.length === 0
      ? []
      : [`attempts that did not end well\n${layout.table(task.attempts, attemptColumns)}`]),
    ...task.attempts.flatMap(({ stack, atMs }) =>
      stack === undefined
        ? []
        : [`where the attempt of ${formatMoment(atMs)} failed\n${indentLines(stack)}`],
    ),
  ];
  return sections.join("\n\n");
}

function describeState({ task, waiting }: Shown): string {
  if (!waiting) return task.state;
  const { reason, forMs } = waiting;
  const howLong = forMs === undefined ? "" : `, ${formatDuration(forMs)} more at least`;
  return `${task.state}: ${reason} (${meanings[reason]})${howLong}`;
}

/** Both times are the queue's own clock's; negative when it has expired and nobody swept it yet. */
const leaseLeft = ({ task, ageMs }: Shown) => task.expiresAtMs - (task.createdAtMs + ageMs);

const describeLease = (leftMs: number) =>
  leftMs > 0
    ? `${formatDuration(leftMs)} left`
    : `expired ${formatDuration(-leftMs)} ago; the next claim takes it back`;

const attemptColumns: readonly Column<Attempt>[] = [
  { title: "at", value: (attempt) => formatMoment(attempt.atMs) },
  { title: "outcome", value: (attempt) => attempt.outcome },
  { title: "reason", value: (attempt) => attempt.reason, isNeverCut: true },
];

/** Made safe line by line: a payload was often written by strangers. */
const indentLines = (text: string) =>
  text
    .split("\n")
    .map((line) => `  ${/^ */.exec(line)![0]}${toOneLine(line)}`)
    .join("\n");

const indentJson = (json: string) =>
  indentLines(JSON.stringify(JSON.parse(json) as unknown, null, 2));
