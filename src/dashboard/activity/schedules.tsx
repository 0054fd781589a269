import { useSignal } from "@preact/signals";
import { api, apiUrl, type RowOf } from "../data/api.ts";
import { formatTime, timeOf } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { navigate, panelIn, place, withQuery } from "../data/router.ts";
import { may } from "../data/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import { actionWords, timingWords } from "./schedule-words.ts";

type Schedule = RowOf<"/api/schedules">;
type Run = NonNullable<Schedule["last"]>;

/** Schedules: what runs automatically, when it runs next, and the result of the last run. */
export function Schedules() {
  const schedules = useResource("schedules", (signal) => api.get("/api/schedules", { signal }), {
    topics: ["queue"],
  });
  const open = place.value.query.get("open");
  const edit = panelIn("edit");
  const edited = schedules.data?.rows.find(({ name }) => name === edit.value);
  const canWrite = may("campaigns:write");
  return (
    <>
      {canWrite && (
        <p class="row end">
          <button class="btn" onClick={() => edit.open("")}>
            <Icon name="plus" /> Add a schedule
          </button>
        </p>
      )}
      <section class="card" aria-label="Schedules">
        <Loaded from={schedules}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Notice icon="clock" title="Nothing is scheduled">
                <p>
                  A schedule repeats work automatically. Add one:{" "}
                  <code>
                    forager schedule add weekly --cron "0 6 * * 1" --timezone UTC --does resolve
                  </code>
                </p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>Schedule</th>
                    <th>Does</th>
                    <th>When</th>
                    <th>Next</th>
                    <th>Last run</th>
                    <th>
                      <span class="for-readers">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <ScheduleLine key={row.name} row={row} onChanged={schedules.reload} />
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
      <Same command="forager schedule list" api="GET /api/schedules" />
      {open !== null && <ScheduleDrawer key={open} name={open} onChanged={schedules.reload} />}
      {canWrite && (edited !== undefined || edit.value === "") && (
        <ScheduleForm schedule={edited} onClose={edit.close} onSaved={schedules.reload} />
      )}
    </>
  );
}

interface ScheduleLineProps {
  readonly row: Schedule;
  readonly onChanged: () => void;
}

function ScheduleLine({ row, onChanged }: ScheduleLineProps) {
  const [next] = row.next;
  return (
    <tr>
      <td data-label="Schedule">
        <span>
          <a href={withQuery({ open: row.name })}>
            <b>
              <Text value={row.name} max={60} />
            </b>
          </a>{" "}
          {row.isPaused && <span class="pill warn">paused</span>}
        </span>
      </td>
      <td data-label="Does">
        <Text value={actionWords(row.action)} max={120} />
      </td>
      <td data-label="When">
        <Text value={timingWords(row.timing)} max={120} />
      </td>
      <td data-label="Next" class="nowrap">
        {row.isPaused || next === undefined ? (
          <span class="dim">not planned</span>
        ) : (
          <Ago atMs={timeOf(next)} />
        )}
      </td>
      <td data-label="Last run">
        {row.last ? <RunState run={row.last} /> : <span class="dim">none yet</span>}
      </td>
      <td class="n">
        <ScheduleButtons row={row} onChanged={onChanged} />
      </td>
    </tr>
  );
}

const runPills = { done: "", skipped: "quiet", failed: "bad" } as const;

function RunState({ run }: { readonly run: Run }) {
  return (
    <span>
      <span class={`pill ${runPills[run.state]}`}>{run.state}</span>{" "}
      <small class="dim">
        <Ago atMs={timeOf(run.endedAt)} />
      </small>
    </span>
  );
}

function ScheduleButtons({ row: { name, isPaused }, onChanged }: ScheduleLineProps) {
  const isBusy = useSignal(false);
  if (!may("campaigns:write")) return null;
  const params = { schedule: name };
  const act = async (ask: () => Promise<unknown>, text: string) => {
    isBusy.value = true;
    try {
      await ask();
      showToast(text);
      onChanged();
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
    isBusy.value = false;
  };
  return (
    <span class="row end one-line">
      <button
        class="btn small"
        disabled={isBusy.value}
        onClick={() =>
          void act(
            () => api.send("POST", "/api/schedules/{schedule}/runs", { params }),
            "Added to the queue: it runs as soon as a worker is free",
          )
        }
      >
        <Icon name="play" /> Run now
      </button>
      <button
        class="btn small"
        disabled={isBusy.value}
        onClick={() =>
          void act(
            () => api.send("POST", `/api/schedules/{schedule}/${isPaused ? "resume" : "pause"}`, { params }), // prettier-ignore
            isPaused
              ? "Resumed: occurrences skipped during the pause do not run"
              : "Paused: its occurrences are skipped",
          )
        }
      >
        {isPaused ? "Resume" : "Pause"}
      </button>
    </span>
  );
}

interface ScheduleDrawerProps {
  readonly name: string;
  readonly onChanged: () => void;
}

/** A schedule with its history: every run, and every skipped occurrence with its reason. */
function ScheduleDrawer({ name, onChanged }: ScheduleDrawerProps) {
  const params = { schedule: name };
  const shown = useResource(
    name,
    (signal) => api.get("/api/schedules/{schedule}", { params, query: { runs: 50 }, signal }),
    { topics: ["queue"] },
  );
  const changed = () => {
    shown.reload();
    onChanged();
  };
  return (
    <Dialog title={name} shape="drawer" onClose={() => navigate(withQuery({ open: undefined }))}>
      <Loaded from={shown}>
        {(schedule) => (
          <div class="stack">
            <ScheduleButtons row={schedule} onChanged={changed} />
            {may("campaigns:write") && (
              <span class="row">
                <a class="btn" href={withQuery({ open: undefined, edit: name })}>
                  <Icon name="pencil" /> Change
                </a>
                <RemoveSchedule name={name} onChanged={onChanged} />
              </span>
            )}
            <dl class="pairs">
              <dt>Does</dt>
              <dd>
                <Text value={actionWords(schedule.action)} />
              </dd>
              <dt>When</dt>
              <dd>
                <Text value={timingWords(schedule.timing)} />
              </dd>
              <dt>Next</dt>
              <dd>
                {schedule.isPaused
                  ? "paused"
                  : schedule.next.map((at) => formatTime(timeOf(at) ?? 0)).join("; ")}
              </dd>
              <dt>Missed occurrences</dt>
              <dd>{missedTexts[schedule.missed]}</dd>
              <dt>If the previous run is not finished</dt>
              <dd>{schedule.overlap === "skip" ? "the next is skipped" : "the next waits"}</dd>
            </dl>
            <h3>History</h3>
            <Runs runs={schedule.runs} />
          </div>
        )}
      </Loaded>
      <Same
        command={`forager schedule show ${name}`}
        api={`GET ${apiUrl("/api/schedules/{schedule}", params, { runs: 50 })}`}
      />
    </Dialog>
  );
}

/** Asks once more: its history goes with it. */
function RemoveSchedule({ name, onChanged }: ScheduleDrawerProps) {
  const isAsked = useSignal(false);
  const remove = async () => {
    try {
      await api.send("DELETE", "/api/schedules/{schedule}", { params: { schedule: name } });
      showToast(`${name} was removed; its results are kept`);
      navigate(withQuery({ open: undefined }));
      onChanged();
    } catch (error) {
      showToast(failureText(error, "nothing was removed"));
    }
  };
  return isAsked.value ? (
    <>
      <button class="btn" onClick={() => void remove()}>
        Remove {name}
      </button>
      <button class="btn" onClick={() => (isAsked.value = false)}>
        Keep it
      </button>
    </>
  ) : (
    <button class="btn" onClick={() => (isAsked.value = true)}>
      Remove
    </button>
  );
}

const missedTexts = {
  latest: "only the latest one runs later",
  skip: "none of them runs later",
  all: "all of them run later",
} as const;

function Runs({ runs }: { readonly runs: readonly Run[] }) {
  if (runs.length === 0) return <p class="dim">It has not run yet.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th>Occurrence</th>
          <th>Result</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={`${run.occurrence} ${run.endedAt}`}>
            <td class="nowrap">
              {formatTime(timeOf(run.occurrence) ?? 0)}
              {run.isRunNow && (
                <>
                  <br />
                  <small class="dim">started by hand</small>
                </>
              )}
            </td>
            <td>
              <RunState run={run} />
              {run.reason !== null && (
                <>
                  <br />
                  <small class="dim">
                    <Text value={run.reason} />
                  </small>
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
