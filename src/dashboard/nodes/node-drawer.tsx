import { formatBytes, formatDuration, formatTime } from "../data/format.ts";
import { navigate, withQuery } from "../data/router.ts";
import { may } from "../data/session.ts";
import { tasksHref } from "../data/task-query.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { chosenTab, Tabs, type Tab } from "../parts/tabs.tsx";
import { Ago, Text } from "../parts/text.tsx";
import type { Action } from "./give-command.tsx";
import { faultsOf, nameOf, type NodeRow, type Usual } from "./node-health.ts";
import { NodeLog, NodeScaling } from "./node-log.tsx";
import { clockText, StatePill } from "./node-table.tsx";

const tabs: readonly Tab[] = [
  ["health", "Health"],
  ["log", "Log"],
  ["scaling", "Scaling"],
];

interface NodeDrawerProps {
  readonly node: NodeRow;
  readonly most: Usual;
  readonly onCommand: (action: Action) => void;
}

/** One node: its last heartbeat, its log, and why it scaled. */
export function NodeDrawer({ node, most, onCommand }: NodeDrawerProps) {
  const tab = chosenTab(tabs);
  const isHeld = node.beat?.state === "paused" || node.beat?.state === "drained";
  const close = () => navigate(withQuery({ open: undefined, tab: undefined, text: undefined, level: undefined })); // prettier-ignore
  return (
    <Dialog title={nameOf(node)} onClose={close} shape="drawer">
      {may("fleet:command") && (
        <div class="row">
          <button class="btn" onClick={() => onCommand(isHeld ? "resume" : "pause")}>
            <Icon name={isHeld ? "play" : "pause"} /> {isHeld ? "Resume" : "Pause"}
          </button>
          <button class="btn" onClick={() => onCommand("drain")}>
            Drain
          </button>
          <button class="btn" onClick={() => onCommand("scale")}>
            Scale
          </button>
        </div>
      )}
      <Tabs label="Parts of the node" tabs={tabs} resets={["text", "level"]} />
      {tab === "health" && <Health node={node} most={most} />}
      {tab === "log" && <NodeLog node={node} />}
      {tab === "scaling" && <NodeScaling node={node} />}
    </Dialog>
  );
}

function Health({ node, most }: Omit<NodeDrawerProps, "onCommand">) {
  const { beat, drift } = node;
  const faults = faultsOf(node, most);
  return (
    <div class="stack">
      {faults.length > 0 && (
        <div class="alarm bad">
          <b>Problems</b>
          <span>
            <Text value={faults.join("; ")} max={600} />
          </span>
        </div>
      )}
      <dl class="pairs">
        <dt>State</dt>
        <dd>
          <StatePill node={node} />
        </dd>
        <dt>Heartbeat</dt>
        <dd>
          {node.lastSeenMs === null ? "never seen" : <Ago atMs={node.lastSeenMs} />}
          {node.rttMs !== null && `, answers in ${formatDuration(node.rttMs)}`}
        </dd>
        {beat && <Beat beat={beat} most={most} />}
        <dt>Data</dt>
        <dd>
          {node.isSelf
            ? "this page shows the data of this node"
            : drift
              ? `it lacks ${drift.missingThere ?? "an unknown number of"} changes; the node that serves this page lacks ${drift.missingHere} of its changes`
              : "not known"}
        </dd>
        <dt>Found by</dt>
        <dd>
          <Text value={[node.how, ...node.addresses].join(", ")} max={200} />
        </dd>
        <dt>Id</dt>
        <dd>
          <code>
            <Text value={node.node} max={60} />
          </code>
        </dd>
      </dl>
      {beat && Object.keys(beat.kinds).length > 0 && <Kinds kinds={beat.kinds} />}
      {beat?.followed && (
        <p class={beat.followed.isApplied ? "dim" : ""}>
          Command {beat.followed.revision}{" "}
          {beat.followed.isApplied ? "was applied" : "could not be applied"} at{" "}
          {formatTime(beat.followed.atMs)}: <Text value={beat.followed.what} />
        </p>
      )}
      <Same command="forager status --cluster" api="GET /api/status?cluster=true" />
    </div>
  );
}

type Heartbeat = NonNullable<NodeRow["beat"]>;

function Beat({ beat, most }: { readonly beat: Heartbeat; readonly most: Usual }) {
  const { diskBytes, temperatureC, clockOffsetMs, config } = beat;
  const hasOtherConfig =
    config !== undefined && most.config !== undefined && config !== most.config;
  return (
    <>
      <dt>Load</dt>
      <dd>{beat.load1.toFixed(2)}</dd>
      <dt>Memory</dt>
      <dd>
        {formatBytes(beat.memoryBytes.free)} of {formatBytes(beat.memoryBytes.total)} free
      </dd>
      {diskBytes && (
        <>
          <dt>Disk</dt>
          <dd>
            {formatBytes(diskBytes.free)} of {formatBytes(diskBytes.total)} free
          </dd>
        </>
      )}
      {temperatureC !== undefined && (
        <>
          <dt>Temperature</dt>
          <dd>{temperatureC.toFixed(1)} °C</dd>
        </>
      )}
      <dt>Clock</dt>
      <dd>{clockOffsetMs === undefined ? "not measured" : clockText(clockOffsetMs)}</dd>
      <dt>Version</dt>
      <dd>
        {beat.version}
        {most.version !== undefined &&
          beat.version !== most.version &&
          `; most have ${most.version}`}
      </dd>
      {config !== undefined && (
        <>
          <dt>Settings</dt>
          <dd>
            {hasOtherConfig ? (
              <>
                differ from those of most nodes: compare <code>forager config show</code> on both
              </>
            ) : (
              "the same as on most nodes"
            )}
          </dd>
        </>
      )}
      <dt>Peers</dt>
      <dd>{beat.peers}</dd>
      {beat.hub && (
        <>
          <dt>Can be the hub</dt>
          <dd>
            {beat.hub.state === "able" ? "yes" : beat.hub.state}
            {beat.hub.why !== undefined && (
              <>
                : <Text value={beat.hub.why} />
              </>
            )}
          </dd>
        </>
      )}
    </>
  );
}

function Kinds({ kinds }: { readonly kinds: Heartbeat["kinds"] }) {
  return (
    <table>
      <thead>
        <tr>
          <th>Kind of task</th>
          <th class="n">Running</th>
          <th class="n">May run at once</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(kinds).map(([kind, [slots, running]]) => (
          <tr key={kind}>
            <td>
              <Text value={kind} max={60} />
            </td>
            <td class="n">
              <a href={tasksHref({ state: ["running"], kind })}>{running}</a>
            </td>
            <td class="n">{slots}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
