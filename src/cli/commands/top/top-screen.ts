import { formatDuration } from "../../../base/text/format-time.ts";
import { formatLogLine } from "../../../base/log/log-line.ts";
import type { WorkerHeartbeat } from "../../../observe/index.ts";
import type { ReasonStats } from "../../../queue/index.ts";
import type { Layout } from "../../terminal/output.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { gateColumns, gateValue, type GateValue } from "../queue/parts/gate-columns.ts";
import { viewNames, type Extent, type TopState, type ViewName } from "./top-state.ts";
import { describeTop, reasonColumns, workerColumns, type TopView } from "./top-view.ts";

/** The data of one refresh, with what only a terminal shows. */
export interface TopLook extends TopView {
  /** Lines of JSON, newest first; empty unless the log is shown. */
  readonly log: readonly string[];
}

interface ListView<Row> {
  readonly rows: (look: TopLook) => readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  readonly isFault: (row: Row) => boolean;
  /** All details of a row, one per line. */
  readonly detail: (row: Row, look: TopLook) => string;
  /** The command that shows the same data. */
  readonly command: (row: Row | undefined) => string;
}

type Worker = WorkerHeartbeat & { readonly node: string };

const waiting: ListView<ReasonStats> = {
  rows: ({ stats }) => stats.reasons.filter(({ count }) => count > 0),
  columns: reasonColumns,
  isFault: ({ reason }) => reason === "retry_backoff" || reason === "paused",
  detail: ({ reason, count }, { stats }) => {
    const kinds = stats.kinds.flatMap(({ kind, reasons }) =>
      reasons.filter((one) => one.reason === reason).map((one) => `${kind}: ${one.count}`),
    );
    return [`${count} wait: ${reason}`, ...kinds].join("\n");
  },
  command: () => "forager queue stats",
};

const workers: ListView<Worker> = {
  rows: ({ heartbeats }) =>
    heartbeats.flatMap(({ node, workers: all }) => all.map((worker) => ({ ...worker, node }))),
  columns: workerColumns,
  isFault: ({ state, restarts }) => state !== "running" || restarts > 0,
  detail: (worker, { heartbeats }) => {
    const heartbeat = heartbeats.find(({ node, workers: all }) => node === worker.node && all.some(({ name }) => name === worker.name)); // prettier-ignore
    const machine = heartbeat?.machine;
    return [
      `${worker.name} on ${worker.node}`,
      `process ${worker.pid ?? "none"}, ${worker.state}, restarted ${worker.restarts} times`,
      `kinds: ${worker.kinds?.join(", ") ?? "all"}`,
      `at work ${worker.atWork} of ${worker.concurrency}, in flight ${worker.inFlight}, completed ${worker.completed}`,
      `scaling: ${worker.decision}`,
      ...(machine && heartbeat
        ? [
            `version ${heartbeat.version}, load ${machine.load1.toFixed(2)}, free memory ${Math.round(machine.memoryBytes.free / 1e6)} MB`,
          ]
        : []),
    ].join("\n");
  },
  command: () => "forager status --cluster",
};

const gates: ListView<GateValue> = {
  rows: ({ gates: all, storeNowMs }) =>
    all
      .map((gate) => gateValue(gate, storeNowMs))
      .sort((a, b) => b.blockedForMs - a.blockedForMs || b.running - a.running),
  columns: gateColumns,
  isFault: ({ blockedForMs }) => blockedForMs > 0,
  detail: (gate) =>
    [
      gate.name,
      `a visit every ${formatDuration(gate.delayMs)}, at most ${gate.limit} at once`,
      `running ${gate.running}`,
      gate.blockedForMs > 0 ? `blocked for ${formatDuration(gate.blockedForMs)}` : "not blocked",
      gate.opensInMs > 0 ? `opens in ${formatDuration(gate.opensInMs)}` : "open",
    ].join("\n"),
  command: (gate) => (gate ? `forager queue gate ${gate.name}` : "forager queue gates"),
};

const log: ListView<string> = {
  rows: ({ log: lines }) => lines.filter(isReadable),
  columns: [{ title: "newest first", value: (line) => formatLogLine(line).trimEnd() }],
  isFault: (line) => /"level":"(?:warn|error|fatal)"/.test(line),
  detail: (line) => JSON.stringify(JSON.parse(line), null, 2),
  command: () => "forager logs --follow",
};

function isReadable(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false; // incomplete line
  }
}

/** A view without the type of its rows. */
interface ShownList {
  extent(look: TopLook, state: TopState): Extent;
  screen(look: TopLook, state: TopState, layout: Layout): string;
}

/** Lines above and below the rows. */
const frameLines = 7;

function listOf<Row>(view: ListView<Row>): ShownList {
  /** The rows, filtered and sorted as chosen. */
  const chosen = (look: TopLook, state: TopState): readonly Row[] => {
    const wanted = state.filter.toLowerCase();
    const matches = (row: Row) =>
      view.columns.some(({ value }) => String(value(row)).toLowerCase().includes(wanted));
    const found = view
      .rows(look)
      .filter((row) => (wanted === "" || matches(row)) && (!state.hasOnlyFaults || view.isFault(row))); // prettier-ignore
    const column = state.sortColumn === undefined ? undefined : view.columns[state.sortColumn];
    const sorted = column ? found.toSorted((a, b) => compare(column.value(a), column.value(b))) : found; // prettier-ignore
    return state.isReversed ? sorted.toReversed() : sorted;
  };
  return {
    extent: (look, state) => ({ rows: chosen(look, state).length, columns: view.columns.length }),
    screen(look, state, layout) {
      const rows = chosen(look, state);
      const selected = Math.min(state.selected, rows.length - 1);
      const row = rows[selected];
      const titles = view.columns.map(({ title }) => title);
      const above = [headOf(state, titles), `same: ${view.command(row)}`, ""];
      if (row === undefined) {
        const isNarrowed = state.filter !== "" || state.hasOnlyFaults;
        return [...above, isNarrowed ? "nothing matches: esc clears the filter, f shows all" : "nothing here"].join("\n"); // prettier-ignore
      }
      if (state.shown === "detail") return [...above, view.detail(row, look), "", "esc: back"].join("\n"); // prettier-ignore
      const height = Math.max(1, (layout.rowsMax ?? 24) - frameLines);
      const from = Math.max(0, Math.min(selected - Math.floor(height / 2), rows.length - height));
      const marked: readonly TableColumn<Row>[] = [
        { title: "", value: (one) => (one === row ? ">" : " ") },
        ...view.columns,
      ];
      const table = layout.table(rows.slice(from, from + height), marked);
      return [...above, table, "", `${selected + 1} of ${rows.length}`].join("\n");
    },
  };
}

/** The largest number and the first word come first. */
const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? b - a : String(a).localeCompare(String(b));

const lists: Readonly<Record<Exclude<ViewName, "queue">, ShownList>> = {
  waiting: listOf(waiting),
  workers: listOf(workers),
  gates: listOf(gates),
  log: listOf(log),
};

/** The numbers of rows and columns that keys can select. */
export function extentOf(look: TopLook, state: TopState): Extent {
  return state.view === "queue" ? { rows: 0, columns: 0 } : lists[state.view].extent(look, state);
}

export function describeScreen(look: TopLook, state: TopState, layout: Layout): string {
  if (state.shown === "help") return [headOf(state), "", helpText].join("\n");
  if (state.view === "queue") return [headOf(state), "", describeTop(look, layout)].join("\n");
  return lists[state.view].screen(look, state, layout);
}

/** The line with the views, the filter and the sort order. */
function headOf(state: TopState, columns: readonly string[] = []): string {
  const names = viewNames.map((name, at) => (name === state.view ? `[${at + 1} ${name}]` : `${at + 1} ${name}`)); // prettier-ignore
  return `${names.join("  ")}   ? keys${stateText(state, columns)}`;
}

function stateText(state: TopState, columns: readonly string[]): string {
  const column = state.sortColumn === undefined ? undefined : columns[state.sortColumn];
  return [
    ...(state.isPaused ? ["paused"] : []),
    ...(state.isTyping || state.filter !== "" ? [`/${state.filter}${state.isTyping ? "_" : ""}`] : []), // prettier-ignore
    ...(state.hasOnlyFaults ? ["faults only"] : []),
    ...(column === undefined ? [] : [`by ${column}`]),
    ...(state.isReversed ? ["reversed"] : []),
  ]
    .map((text) => `   ${text}`)
    .join("");
}

const helpText = [
  "1-5, tab      another view",
  "up, down      choose a row (also k, j)",
  "enter, esc    show details of the row, go back",
  "/             show only rows that contain a text; esc clears it",
  "< >  r        sort by another column; reverse",
  "f             show only rows with a problem",
  "l             follow the log of this node",
  "space         pause and resume updates",
  "q, ctrl-c     quit",
].join("\n");
