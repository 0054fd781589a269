import { formatDuration, formatTime } from "../data/format.ts";
import { Ago } from "../parts/text.tsx";
import type { TaskShown } from "./task-drawer.tsx";

interface Step {
  readonly name: string;
  readonly atMs?: number | undefined;
  readonly note?: string;
  readonly state: "past" | "now" | "later";
  readonly isBad?: boolean;
}

/** The states of the task, with the known times. */
export function TaskStates({ task }: { readonly task: TaskShown }) {
  return (
    <ol class="states" aria-label="States of the task">
      {stepsOf(task).map(({ name, atMs, note, state, isBad }) => (
        <li
          key={name}
          data-state={state}
          class={isBad ? "is-bad" : ""}
          aria-current={state === "now" ? "step" : undefined}
        >
          <b>{name}</b>
          {atMs !== undefined && atMs > 0 && (
            <small class="dim" title={formatTime(atMs)}>
              <Ago atMs={atMs} />
            </small>
          )}
          {note !== undefined && <small class="dim">{note}</small>}
        </li>
      ))}
    </ol>
  );
}

function stepsOf(task: TaskShown): readonly Step[] {
  const { state, createdAtMs, dueAtMs, attempts, used, attemptsMax, finishedAtMs, waiting } = task;
  const isEnded = finishedAtMs > 0;
  const last = attempts.at(-1);
  const isLater = state === "pending" && waiting?.forMs !== undefined;
  const tries = `attempt ${Math.max(1, used)} of ${attemptsMax}`;
  const isStarted = state !== "pending" && !(state === "skipped" && used === 0);
  return [
    { name: "added", atMs: createdAtMs, state: "past" },
    ...(state === "pending" && last
      ? [{ name: last.outcome === "retry" ? "tried" : last.outcome, atMs: last.atMs, note: `${used} of ${attemptsMax} attempts`, state: "past" as const }] // prettier-ignore
      : []),
    {
      name: "waiting",
      state: state === "pending" ? "now" : "past",
      ...(isLater && { note: `${formatDuration(waiting.forMs!)} at least` }),
      ...(!isLater && dueAtMs > createdAtMs && { atMs: dueAtMs }),
    },
    {
      name: "running",
      state: state === "running" ? "now" : isStarted ? "past" : "later",
      ...(state === "running" && { note: tries }),
      ...(isEnded && isStarted && { note: tries }),
    },
    {
      name: isEnded ? state : "done",
      state: isEnded ? "now" : "later",
      isBad: state === "failed",
      ...(isEnded && { atMs: finishedAtMs }),
    },
  ];
}
