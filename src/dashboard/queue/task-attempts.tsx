import { formatDuration } from "../data/format.ts";
import { shownText } from "../data/safe-text.ts";
import { Ago, Text } from "../parts/text.tsx";
import type { TaskShown } from "./task-drawer.tsx";

type Attempt = TaskShown["attempts"][number];
type Measured = TaskShown["measured"][number];

const outcomes: Readonly<Record<string, string>> = {
  retry: "failed, will be retried",
  fail: "failed",
  skip: "skipped",
  crash: "its process crashed",
  expired: "its lease ended without a result",
  cancelled: "its job was cancelled",
  done: "done",
  release: "returned to the queue",
  lost: "its lease was lost while it ran",
};

interface Row {
  readonly token: number;
  readonly atMs: number;
  readonly outcome: string;
  readonly attempt: Attempt | undefined;
  readonly measured: Measured | undefined;
}

/** Every attempt: how it ended, why, who made it and how long it ran. */
export function TaskAttempts({ task }: { readonly task: TaskShown }) {
  const { used, attemptsMax, state } = task;
  const rows = attemptRows(task);
  if (rows.length === 0)
    return state === "done" ? <p class="dim">Done; no earlier attempt failed.</p> : null;
  return (
    <section class="stack tight">
      <h3>
        Attempts ({used} of {attemptsMax} used)
      </h3>
      <ol class="timeline" reversed>
        {rows.map(({ token, atMs, outcome, attempt, measured }) => (
          <li key={token}>
            <b>{outcomes[outcome] ?? outcome}</b>{" "}
            <span class="dim">
              <Ago atMs={atMs} />
              {measured && (
                <>
                  , after {formatDuration(measured.ranMs)}, by{" "}
                  <Text value={measured.worker} max={120} />
                </>
              )}
            </span>
            {attempt && <p class="reason-text">{shownText(attempt.reason, 2_000)}</p>}
            {attempt?.stack !== undefined && (
              <details>
                <summary>Where it happened</summary>
                <pre class="code" tabIndex={0}>
                  {shownText(attempt.stack, 8_000)}
                </pre>
              </details>
            )}
          </li>
        ))}
      </ol>
      {rows.some(({ measured }) => measured === undefined) && (
        <p class="dim">
          <small>
            Nodes keep the records of who made an attempt and how long it ran only for their last
            attempts.
          </small>
        </p>
      )}
    </section>
  );
}

/** Newest first. What the queue stored, with what workers measured, and what only they know. */
function attemptRows({ attempts, measured }: TaskShown): readonly Row[] {
  const known = new Map(measured.map((one) => [one.token, one]));
  const stored = attempts.map((attempt) => {
    const { token, atMs, outcome } = attempt;
    return { token, atMs, outcome, attempt, measured: known.get(token) };
  });
  const tokens = new Set(attempts.map(({ token }) => token));
  const others = measured
    .filter(({ token }) => !tokens.has(token))
    .map((one) => ({ token: one.token, atMs: one.startedAtMs + one.ranMs, outcome: one.outcome, attempt: undefined, measured: one })); // prettier-ignore
  return [...stored, ...others].toSorted((a, b) => b.token - a.token);
}
