import { useSignal } from "@preact/signals";
import { api, apiUrl, type AnswerOf } from "../data/api.ts";
import { formatCount, formatDuration } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { tasksHref } from "../data/task-query.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { SpanLinks, spanInUrl } from "../parts/span-links.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { Top } from "../parts/top.tsx";
import { gateState, type HostGate } from "./gate-state.ts";
import { HostVisits } from "./host-visits.tsx";

type Pacing = AnswerOf<"GET", "/api/queue/gates/{gate}/pacing">;

const spans = [
  ["5", "5 min"],
  ["60", "1 h"],
  ["360", "6 h"],
  ["1440", "24 h"],
  ["10080", "7 d"],
] as const;

/** One host: its pace, the workers that are visiting it, and a timeline of visits. */
export function HostDetail({ name }: { readonly name: string }) {
  const span = spanInUrl(spans);
  const gate = useResource(
    name,
    (signal) => api.get("/api/queue/gates/{gate}", { params: { gate: name }, signal }),
    { topics: ["queue"] },
  );
  const pacing = useResource(
    `${name} ${span}`,
    (signal) =>
      api.get("/api/queue/gates/{gate}/pacing", { params: { gate: name }, query: { minutes: Number(span) }, signal }), // prettier-ignore
    { topics: ["queue"] },
  );
  return (
    <>
      <Top title={name.slice(0, 120)}>
        <a class="btn" href={tasksHref({ gate: name })}>
          <Icon name="list-todo" /> Tasks
        </a>
        <a class="btn" href="/hosts">
          All hosts
        </a>
      </Top>
      <Loaded from={gate}>
        {(data) => (
          <div class="grid">
            <Pace gate={data} holders={pacing.data?.holders ?? []} onChanged={gate.reload} />
            {may("queue:write") && <SetPace key={name} gate={data} onChanged={gate.reload} />}
          </div>
        )}
      </Loaded>
      <section class="card" aria-label="Visits over time">
        <header>
          <h2>Visits</h2>
          <small>requests and ends of visits, on all nodes</small>
          <span class="sp" />
          <SpanLinks spans={spans} />
        </header>
        <Loaded from={pacing}>
          {(data) => <HostVisits pacing={data} gate={gate.data} name={name} />}
        </Loaded>
      </section>
      <Same
        command={`forager queue pacing ${name} --since ${span}m`}
        api={`GET ${apiUrl("/api/queue/gates/{gate}/pacing", { gate: name }, { minutes: Number(span) })}`}
      />
    </>
  );
}

interface PaceProps {
  readonly gate: HostGate;
  readonly holders: Pacing["holders"];
  readonly onChanged: () => void;
}

function Pace({ gate, holders, onChanged }: PaceProps) {
  const { text, pill } = gateState(gate);
  const unblock = async () => {
    try {
      await api.send("PUT", "/api/queue/gates/{gate}", {
        params: { gate: gate.name },
        body: { blockForMs: 0 },
      });
      showToast("The host may be visited again");
      onChanged();
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
  };
  const lastStartMs = gate.delayMs > 0 && gate.opensAtMs > 0 ? gate.opensAtMs - gate.delayMs : 0;
  return (
    <section class="card" aria-label="Pace">
      <header>
        <h2>Pace</h2>
        <span class={`pill ${pill}`}>{text}</span>
      </header>
      <dl class="pairs">
        <dt>Pause between starts</dt>
        <dd>{gate.delayMs === 0 ? "none" : formatDuration(gate.delayMs)}</dd>
        <dt>Visits at once</dt>
        <dd>{formatCount(gate.limit)}, over all nodes</dd>
        {lastStartMs > 0 && (
          <>
            <dt>Last start</dt>
            <dd>
              <Ago atMs={lastStartMs} />
            </dd>
          </>
        )}
        <dt>Workers that visit it now</dt>
        <dd>
          {holders.length === 0 ? (
            <span class="dim">none</span>
          ) : (
            holders.slice(0, 5).map(({ worker, task }) => (
              <div key={task}>
                <Text value={worker} max={60} />,{" "}
                <a class="accent" href={`/queue/tasks?open=${task}`}>
                  task {task}
                </a>
              </div>
            ))
          )}
        </dd>
      </dl>
      {gate.blockedForMs > 0 && may("queue:write") && (
        <p class="row pages">
          <button class="btn" onClick={() => void unblock()}>
            <Icon name="play" /> Remove the block
          </button>
        </p>
      )}
    </section>
  );
}

interface SetPaceProps {
  readonly gate: HostGate;
  readonly onChanged: () => void;
}

function SetPace({ gate, onChanged }: SetPaceProps) {
  const delay = useSignal(String(gate.delayMs / 1_000));
  const limit = useSignal(String(gate.limit));
  const block = useSignal("0");
  const save = async (event: Event) => {
    event.preventDefault();
    const blockForMs = Math.round(60_000 * Number(block.value));
    try {
      await api.send("PUT", "/api/queue/gates/{gate}", {
        params: { gate: gate.name },
        body: {
          delayMs: Math.round(1_000 * Number(delay.value)),
          limit: Number(limit.value),
          ...(blockForMs > 0 && { blockForMs }),
        },
      });
      block.value = "0";
      showToast("The pace is set; workers use it from their next visit");
      onChanged();
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
  };
  const field = (label: string, value: typeof delay, attributes: object) => (
    <label class="field-label">
      {label}
      <input
        type="number"
        required
        {...attributes}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </label>
  );
  return (
    <section class="card" aria-label="Change the pace">
      <header>
        <h2>Change the pace</h2>
      </header>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <div class="pair">
          {field("Seconds between starts", delay, { min: 0, max: 86_400, step: "any" })}
          {field("Visits at once", limit, { min: 1, max: 10_000 })}
          {field("Block it for this many minutes", block, {
            min: 0,
            max: 100_000,
            step: "any",
          })}
        </div>
        <div>
          <button class="btn">Set</button>
        </div>
      </form>
    </section>
  );
}
