import { useSignal } from "@preact/signals";
import { api, type AnswerOf } from "../data/api.ts";
import { formatCount, plural } from "../data/format.ts";
import { liveValue } from "../data/live.ts";
import { failureText, useResource } from "../data/resource.ts";
import { panelIn } from "../data/router.ts";
import { may } from "../data/session.ts";
import { tasksHref } from "../data/task-query.ts";
import { Bulk } from "../parts/bulk.tsx";
import { Icon } from "../parts/icon.tsx";
import { Progress } from "../parts/progress.tsx";
import { showToast } from "../parts/toast.tsx";
import { RunCampaign } from "./run-campaign.tsx";

type Job = NonNullable<AnswerOf<"GET", "/api/campaigns/{campaign}/job">["job"]>;

/** The progress of a campaign's tasks, and the buttons that start, pause and repeat them. */
export function CampaignWork({
  campaign,
  isBudgetUsedUp,
}: {
  readonly campaign: string;
  readonly isBudgetUsedUp: boolean;
}) {
  const asked = useResource(
    campaign,
    (signal) => api.get("/api/campaigns/{campaign}/job", { params: { campaign }, signal }),
    { topics: ["queue"] },
  );
  const run = panelIn("run");
  const isRetryOpen = useSignal(false);
  if (!asked.data) return null;
  const job = asked.data.job ?? undefined;
  const set = async (what: "pause" | "resume") => {
    try {
      await api.send("POST", `/api/campaigns/{campaign}/${what}`, { params: { campaign } });
      asked.reload();
      if (what === "pause")
        showToast("Paused. Running tasks will finish.", { label: "Resume", run: () => void set("resume") }); // prettier-ignore
      else showToast("Resumed");
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
  };
  const left = job ? job.pending + job.running : 0;
  const canWrite = may("campaigns:write");
  return (
    <section class="card work" aria-label="Work of the campaign">
      <WorkState job={job} left={left} isBudgetUsedUp={isBudgetUsedUp} />
      {canWrite && (
        <span class="row">
          {job && job.failed > 0 && may("queue:write") && (
            <button class="btn" onClick={() => (isRetryOpen.value = true)}>
              <Icon name="refresh-cw" /> Retry failed tasks
            </button>
          )}
          {job && left > 0 && job.ended === null && (
            <button class="btn" onClick={() => void set(job.isPaused ? "resume" : "pause")}>
              <Icon name={job.isPaused ? "play" : "pause"} /> {job.isPaused ? "Resume" : "Pause"}
            </button>
          )}
          <button class="btn go" onClick={() => run.open()}>
            <Icon name="play" /> Run
          </button>
        </span>
      )}
      {run.value !== undefined && canWrite && (
        <RunCampaign
          campaign={campaign}
          onClose={run.close}
          onStarted={(added) => {
            run.close();
            asked.reload();
            if (added === 0) showToast("Everything that is due is already waiting or running");
            else showToast(`${plural(added, "task")} added`, { label: "Pause", run: () => void set("pause") }); // prettier-ignore
          }}
        />
      )}
      {isRetryOpen.value && (
        <RetryFailed
          campaign={campaign}
          onClose={() => {
            isRetryOpen.value = false;
            asked.reload();
          }}
        />
      )}
    </section>
  );
}

interface StateProps {
  readonly job: Job | undefined;
  readonly left: number;
  readonly isBudgetUsedUp: boolean;
}

function WorkState({ job, left, isBudgetUsedUp }: StateProps) {
  if (!job)
    return (
      <p class="grow">
        <b>Not run yet.</b>{" "}
        <span class="dim">Run shows what would be searched before anything starts.</span>
      </p>
    );
  const finished = job.done + job.skipped + job.failed;
  const state = isBudgetUsedUp
    ? "budget used up"
    : (job.ended ?? (job.isPaused ? "paused" : left > 0 ? "running" : "up to date"));
  return (
    <div class="grow stack tight">
      <span class="row">
        <span class={`pill ${job.isPaused || isBudgetUsedUp ? "warn" : left === 0 ? "quiet" : ""}`}>
          {state}
        </span>
        {left > 0 && (
          <span>
            <a href={tasksHref({ state: ["running"], job: job.name })}>
              {formatCount(job.running)} running
            </a>
            ,{" "}
            <a href={tasksHref({ state: ["pending"], job: job.name })}>
              {formatCount(job.pending)} waiting
            </a>
          </span>
        )}
        {job.failed > 0 && (
          <a class="pill bad" href={tasksHref({ state: ["failed"], job: job.name })}>
            {formatCount(job.failed)} failed
          </a>
        )}
      </span>
      <Progress done={finished} total={finished + left} label="Finished tasks of the campaign">
        <a href={tasksHref({ job: job.name })}>
          {formatCount(finished)} of {plural(finished + left, "task")} finished
        </a>
      </Progress>
      {left > 0 && !job.isPaused && !isBudgetUsedUp && job.running === 0 && <NoWorkers />}
    </div>
  );
}

/** Explains why nothing happens if no worker runs the tasks. */
function NoWorkers() {
  const nodes = liveValue("status").value?.nodes;
  if (!nodes || nodes.some(({ beat }) => beat && Object.keys(beat.kinds).length > 0)) return null;
  return (
    <p class="dim">
      No worker runs now. Start one: <code>forager up</code>
    </p>
  );
}

function RetryFailed({
  campaign,
  onClose,
}: {
  readonly campaign: string;
  readonly onClose: () => void;
}) {
  // prettier-ignore
  return (
    <Bulk
      title="Retry failed tasks"
      verb="Try again"
      countText={(count) => plural(count, "failed task")}
      select={(signal) => api.send("POST", "/api/selections/tasks", { body: { job: campaign, state: ["failed"] }, signal })}
      read={(id) => api.get("/api/selections/tasks/{id}", { params: { id } })}
      run={(id, count) => api.send("POST", "/api/selections/tasks/{id}/retry", { params: { id }, body: { count } })}
      stop={(id) => api.send("POST", "/api/selections/tasks/{id}/stop", { params: { id } })}
      onClose={onClose}
    />
  );
}
