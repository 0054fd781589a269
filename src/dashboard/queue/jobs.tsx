import { api, type RowOf } from "../data/api.ts";
import { formatCount, plural } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { place, withQuery } from "../data/router.ts";
import { may } from "../data/session.ts";
import { tasksHref } from "../data/task-query.ts";
import { Icon } from "../parts/icon.tsx";
import { Progress } from "../parts/progress.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";

type JobRow = RowOf<"/api/queue/jobs">;

const pageSize = 100;

/** Pauses or resumes a job. After a pause, the message offers to resume it. */
export async function setJobPaused(job: string, isPaused: boolean, onDone: () => void) {
  try {
    const path = isPaused ? "/api/queue/jobs/{job}/pause" : "/api/queue/jobs/{job}/resume";
    await api.send("POST", path, { params: { job } });
    onDone();
    if (isPaused) {
      const run = () => void setJobPaused(job, false, onDone);
      showToast(`Job ${job} is paused. Running tasks will finish.`, { label: "Resume", run });
    } else showToast(`Job ${job} is resumed`);
  } catch (error) {
    showToast(failureText(error, "nothing was changed"));
  }
}

export function Jobs() {
  const after = place.value.query.get("after") ?? undefined;
  const jobs = useResource(
    after ?? "",
    (signal) => api.get("/api/queue/jobs", { query: { limit: pageSize, ...(after && { after }) }, signal }), // prettier-ignore
    { topics: ["queue"] },
  );
  return (
    <>
      <section class="card" aria-label="Jobs">
        <header>
          <h2>Jobs</h2>
          <small>groups of tasks: a campaign, a crawl, a batch</small>
        </header>
        <Loaded from={jobs}>
          {({ rows, next }) =>
            rows.length === 0 ? (
              <Notice icon="layers" title="No job">
                <p>
                  Each campaign has a job with its name. Create one:{" "}
                  <code>forager campaign new NAME</code>
                </p>
              </Notice>
            ) : (
              <>
                <table class="cards">
                  <thead>
                    <tr>
                      <th>Job</th>
                      <th>State</th>
                      <th>Progress</th>
                      <th class="n">Waiting</th>
                      <th class="n">Running</th>
                      <th class="n">Failed</th>
                      <th>
                        <span class="for-readers">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((job) => (
                      <JobLine key={job.name} job={job} onChanged={jobs.reload} />
                    ))}
                  </tbody>
                </table>
                {(next !== null || after !== undefined) && (
                  <p class="row end">
                    {after !== undefined && (
                      <a class="btn" href="/queue/jobs">
                        First page
                      </a>
                    )}
                    {next !== null && (
                      <a class="btn" href={withQuery({ after: next })}>
                        Next {pageSize}
                      </a>
                    )}
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </section>
      <Same command="forager queue jobs" api={`GET /api/queue/jobs?limit=${pageSize}`} />
    </>
  );
}

function JobLine({ job, onChanged }: { readonly job: JobRow; readonly onChanged: () => void }) {
  const finished = job.done + job.skipped + job.failed;
  const left = job.pending + job.running;
  const state = job.ended ?? (job.isPaused ? "paused" : left > 0 ? "running" : "open");
  const number = (label: string, value: number, stateName: "pending" | "running" | "failed") => (
    <td class="n" data-label={label}>
      <a
        class={value === 0 ? "dim" : stateName === "failed" ? "pill bad" : ""}
        href={tasksHref({ state: [stateName], job: job.name })}
      >
        {formatCount(value)}
      </a>
    </td>
  );
  return (
    <tr>
      <td data-label="Job">
        <a href={tasksHref({ job: job.name })}>
          <b>
            <Text value={job.name} max={80} />
          </b>
        </a>
        {job.concurrency !== null && (
          <small class="dim"> at most {formatCount(job.concurrency)} at once</small>
        )}
      </td>
      <td data-label="State">
        <span class={`pill ${job.isPaused ? "warn" : state === "running" ? "" : "quiet"}`}>
          {state}
        </span>
        {job.ended !== null && (
          <small class="dim">
            {" "}
            <Ago atMs={job.endedAtMs} />
          </small>
        )}
      </td>
      <td data-label="Progress" class="job-progress">
        <Progress done={finished} total={finished + left} label={`Progress of ${job.name}`}>
          <a href={tasksHref({ job: job.name })}>
            {formatCount(finished)} of {plural(finished + left, "task")}
          </a>
        </Progress>
      </td>
      {number("Waiting", job.pending, "pending")}
      {number("Running", job.running, "running")}
      {number("Failed", job.failed, "failed")}
      <td class="n">
        {may("queue:write") && job.ended === null && (left > 0 || job.isPaused) && (
          <button
            class="btn small"
            onClick={() => void setJobPaused(job.name, !job.isPaused, onChanged)}
          >
            <Icon name={job.isPaused ? "play" : "pause"} /> {job.isPaused ? "Resume" : "Pause"}
          </button>
        )}
      </td>
    </tr>
  );
}
