import { api } from "../data/api.ts";
import { formatCount, formatDuration, plural } from "../data/format.ts";
import { liveValue } from "../data/live.ts";
import { failureText, useResource } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { hostHref } from "../data/task-query.ts";
import { Icon } from "../parts/icon.tsx";
import { Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { reasonText } from "../parts/waiting-reasons.ts";
import { setJobPaused } from "./jobs.tsx";
import type { TaskShown } from "./task-drawer.tsx";

interface LiftProps {
  readonly task: TaskShown;
  readonly onChanged: () => void;
}

/** Why a task waits, how long it will wait at least, and a button that ends the wait. */
export function TaskWaiting({ task, onChanged }: LiftProps) {
  const { reason, forMs } = task.waiting!;
  const Lift = lifts[reason];
  return (
    <section class="waits" aria-label="Why it waits">
      <header class="row">
        <Icon name="clock" />
        <b>{reasonText(reason).title}</b>
        {forMs !== undefined && <span class="pill warn">{formatDuration(forMs)} at least</span>}
      </header>
      <Lift task={task} onChanged={onChanged} />
    </section>
  );
}

async function change(ask: Promise<unknown>, done: string, onChanged: () => void) {
  try {
    await ask;
    showToast(done);
    onChanged();
  } catch (error) {
    showToast(failureText(error, "nothing was changed"));
  }
}

function Paused({ task, onChanged }: LiftProps) {
  const job = useResource(task.job, (signal) =>
    api.get("/api/queue/jobs/{job}", { params: { job: task.job }, signal }),
  );
  const ended = job.data?.ended ?? null;
  if (ended !== null)
    return (
      <p>
        Its job <Text value={task.job} max={80} /> was {ended}. Retrying one of its failed or
        skipped tasks reopens it.
      </p>
    );
  return (
    <>
      <p>
        Its job <Text value={task.job} max={80} /> is paused
        {job.data && `; it has ${plural(job.data.pending, "pending task")}`}.
      </p>
      {may("queue:write") && (
        <button class="btn go" onClick={() => void setJobPaused(task.job, false, onChanged)}>
          <Icon name="play" /> Resume the job
        </button>
      )}
    </>
  );
}

function DueLater({ task, onChanged }: LiftProps) {
  const start = () =>
    change(
      api.send("POST", "/api/queue/tasks/{id}/raise", {
        params: { id: task.id },
        body: { isDueNow: true },
      }),
      `Task ${task.id} is due now`,
      onChanged,
    );
  return (
    <>
      <p>
        {task.waiting!.reason === "retry_backoff"
          ? "An attempt failed. The delay before the next attempt grows each time, so that the other side can recover."
          : "It was added with a start time that is in the future."}
      </p>
      {may("queue:write") && (
        <button class="btn go" onClick={() => void start()}>
          <Icon name="play" /> Start now
        </button>
      )}
    </>
  );
}

function HostDelay({ task, onChanged }: LiftProps) {
  const gate = useResource(
    task.gate,
    (signal) => api.get("/api/queue/gates/{gate}", { params: { gate: task.gate }, signal }),
    { topics: ["queue"] },
  );
  const { data } = gate;
  const unblock = () =>
    change(
      api.send("PUT", "/api/queue/gates/{gate}", {
        params: { gate: task.gate },
        body: { blockForMs: 0 },
      }),
      `${task.gate} is no longer blocked`,
      () => {
        gate.reload();
        onChanged();
      },
    );
  const isBlocked = (data?.blockedForMs ?? 0) > 0;
  return (
    <>
      <p>
        {!data
          ? "There is a pause between two visits to its host."
          : isBlocked
            ? `The host is blocked for another ${formatDuration(data.blockedForMs)}: it asked for a pause, or somebody blocked it.`
            : data.running > 0
              ? `${plural(data.running, "task")} of this host ${data.running === 1 ? "runs" : "run"} now; at most ${formatCount(data.limit)} may run at once.`
              : `There is a pause of ${formatDuration(data.delayMs)} between two visits to this host.`}
      </p>
      <div class="row">
        {isBlocked && may("queue:write") && (
          <button class="btn go" onClick={() => void unblock()}>
            <Icon name="play" /> Remove the block
          </button>
        )}
        <a class="btn" href={hostHref(task.gate)}>
          <Icon name="globe" /> Pace of the host
        </a>
      </div>
    </>
  );
}

function JobLimit({ task, onChanged }: LiftProps) {
  const job = useResource(task.job, (signal) =>
    api.get("/api/queue/jobs/{job}", { params: { job: task.job }, signal }),
  );
  const { data } = job;
  const more = 2 * (data?.concurrency ?? 1);
  const raise = () =>
    change(
      api.send("PUT", "/api/queue/jobs/{job}", {
        params: { job: task.job },
        // Limits that are left out are cleared.
        body: {
          concurrency: more,
          ...(data!.budget !== null && { budget: data!.budget }),
          ...(data!.gate !== "" && { gate: data!.gate }),
        },
      }),
      `Job ${task.job} may run ${more} tasks at once`,
      onChanged,
    );
  return (
    <>
      <p>
        Its job <Text value={task.job} max={80} /> may run {data?.concurrency ?? "a few"} tasks at
        once, and that many are running.
      </p>
      {data?.concurrency != null && may("queue:write") && (
        <button class="btn go" onClick={() => void raise()}>
          <Icon name="plus" /> Allow {more} at once
        </button>
      )}
    </>
  );
}

function NoWorker({ task, onChanged }: LiftProps) {
  const nodes = liveValue("status").value?.nodes ?? [];
  const able = nodes.filter(({ isPresent, beat }) => isPresent && beat?.kinds[task.kind]);
  const paused = nodes.filter(({ isPresent, beat }) => isPresent && beat?.state === "paused");
  const resume = () =>
    change(
      api.send("POST", "/api/fleet/commands", { body: { node: "all", what: ["resume"] } }),
      "All nodes were asked to resume",
      onChanged,
    );
  const first = () =>
    change(
      api.send("POST", "/api/queue/tasks/{id}/raise", {
        params: { id: task.id },
        body: { priority: 1_000 },
      }),
      `Task ${task.id} is the next of its kind`,
      onChanged,
    );
  return (
    <>
      <p>
        It could run now, but no worker has claimed it.{" "}
        {paused.length > 0 ? (
          `${plural(paused.length, "node is", "nodes are")} paused.`
        ) : able.length > 0 ? (
          `${plural(able.length, "node handles", "nodes handle")} this kind and ${able.length === 1 ? "is" : "are"} busy with tasks that come before it.`
        ) : (
          <>
            No running node handles this kind. Start one: <code>forager up</code>
          </>
        )}
      </p>
      <div class="row">
        {paused.length > 0 && may("fleet:command") && (
          <button class="btn go" onClick={() => void resume()}>
            <Icon name="play" /> Resume all nodes
          </button>
        )}
        {task.priority < 1_000 && may("queue:write") && (
          <button class="btn" onClick={() => void first()}>
            <Icon name="arrow-right" /> Do it first
          </button>
        )}
      </div>
    </>
  );
}

const lifts: Readonly<
  Record<NonNullable<TaskShown["waiting"]>["reason"], (props: LiftProps) => preact.JSX.Element>
> = {
  // prettier-ignore
  paused: Paused,
  scheduled: DueLater,
  retry_backoff: DueLater,
  domain_delay: HostDelay,
  concurrency_limit: JobLimit,
  worker_capacity: NoWorker,
};
