import { useRef } from "preact/hooks";
import { api } from "../data/api.ts";
import { formatCount, formatDuration } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { hostHref, tasksHref } from "../data/task-query.ts";
import { Busy } from "../charts/busy.tsx";
import { useHold } from "../data/hold.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { Top } from "../parts/top.tsx";
import { gateState, type HostGate } from "./gate-state.ts";
import { HostDetail } from "./host-detail.tsx";

export function Hosts() {
  const name = place.value.query.get("host");
  return name === null ? <HostList /> : <HostDetail key={name} name={name} />;
}

const pageSize = 100;

/** The cursor directly before all names with this prefix. */
const before = (begin: string) => (begin.length > 1 ? begin.slice(0, -1) : "");

function HostList() {
  const begin = place.value.query.get("begins") ?? "";
  const after = place.value.query.get("after") ?? before(begin);
  const hold = useHold();
  const gates = useResource(
    `${begin} ${after}`,
    async (signal) => {
      const query = { limit: pageSize, ...(after !== "" && { after }) };
      const page = await api.get("/api/queue/gates", { query, signal });
      const rows = page.rows.filter(({ name }) => name.startsWith(begin));
      const last = page.rows.at(-1)?.name ?? "";
      // Names are sorted: after the last name with this prefix there are no others.
      return { rows, next: last.startsWith(begin) || last < begin ? page.next : null };
    },
    { topics: ["queue"], isHeld: hold.isHeld },
  );
  return (
    <>
      <Top title="Hosts" />
      <div class="row">
        <HostFilter begin={begin} />
        <span class="dim">hosts that have tasks now</span>
      </div>
      <section class="card" aria-label="Hosts" {...hold.handlers}>
        <Loaded from={gates}>
          {({ rows, next }) => (
            <>
              {rows.length === 0 ? <NoHost begin={begin} /> : <HostTable rows={rows} />}
              {(next !== null || place.value.query.has("after")) && (
                <p class="row end pages">
                  {place.value.query.has("after") && (
                    <a class="btn" href={withQuery({ after: undefined })}>
                      First page
                    </a>
                  )}
                  {next !== null && (
                    <a class="btn" href={withQuery({ after: next })}>
                      Next page <Icon name="arrow-right" />
                    </a>
                  )}
                </p>
              )}
            </>
          )}
        </Loaded>
      </section>
      <Same command="forager queue gates" api={`GET /api/queue/gates?limit=${pageSize}`} />
    </>
  );
}

const typingMs = 250;

function HostFilter({ begin }: { readonly begin: string }) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return (
    <label class="searchbox">
      <Icon name="search" />
      <span class="for-readers">Host begins with</span>
      <input
        type="search"
        placeholder="Host begins with …"
        defaultValue={begin}
        onInput={(event) => {
          clearTimeout(timer.current);
          const text = event.currentTarget.value.trim();
          timer.current = setTimeout(
            () => navigate(withQuery({ begins: text || undefined, after: undefined }), { isReplaced: true }), // prettier-ignore
            typingMs,
          );
        }}
      />
    </label>
  );
}

function HostTable({ rows }: { readonly rows: readonly HostGate[] }) {
  const names = namesThatFit(rows.map(({ name }) => name));
  const activity = useResource(names.join(" "), (signal) =>
    api.get("/api/queue/activity", { query: { by: "gate", name: names }, signal }),
  );
  const byName = new Map(activity.data?.rows.map((row) => [row.name, row]));
  return (
    <table class="cards rows">
      <thead>
        <tr>
          <th>Host</th>
          <th>State</th>
          <th class="n">Pause between visits</th>
          <th class="n">At once</th>
          <th class="n">Started, 1 h</th>
          <th class="n">Running</th>
          <th class="n">Tasks</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((gate) => {
          const { text, pill } = gateState(gate);
          return (
            <tr key={gate.name}>
              <td data-label="Host">
                <a href={hostHref(gate.name)}>
                  <b>
                    <Text value={gate.name} max={80} />
                  </b>
                </a>
              </td>
              <td data-label="State">
                <span class={`pill ${pill}`}>{text}</span>
              </td>
              <td class="n" data-label="Pause between visits">
                {gate.delayMs === 0 ? <span class="dim">none</span> : formatDuration(gate.delayMs)}
              </td>
              <td class="n" data-label="At once">
                {formatCount(gate.limit)}
              </td>
              <td class="n nowrap" data-label="Started, 1 h">
                {byName.has(gate.name) ? (
                  <Busy activity={byName.get(gate.name)!} />
                ) : (
                  <span class="dim">none</span>
                )}
              </td>
              <td class="n" data-label="Running">
                <a href={tasksHref({ state: ["running"], gate: gate.name })}>
                  {formatCount(gate.running)}
                </a>
              </td>
              <td class="n" data-label="Tasks">
                <a class="accent" href={tasksHref({ gate: gate.name })}>
                  show
                </a>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The most characters of names in one address: servers refuse longer ones. */
const namesLengthMax = 6_000;

function namesThatFit(names: readonly string[]): string[] {
  let left = namesLengthMax;
  return names.filter((name) => (left -= encodeURIComponent(name).length + 6) >= 0);
}

function NoHost({ begin }: { readonly begin: string }) {
  return begin === "" ? (
    <Notice icon="globe" title="No host has tasks">
      <p>
        A host appears when a task that visits it is added. To set its pace before that:{" "}
        <code>forager queue gate HOST --delay 2s</code>
      </p>
    </Notice>
  ) : (
    <Notice icon="search" title="No host name begins with this">
      <p>
        <a class="accent" href="/hosts">
          Show all hosts
        </a>
        .
      </p>
    </Notice>
  );
}
