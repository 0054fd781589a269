import { api } from "../data/api.ts";
import { plural } from "../data/format.ts";
import { useLive, useResource } from "../data/resource.ts";
import { panelIn, place, withQuery } from "../data/router.ts";
import { may } from "../data/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Top } from "../parts/top.tsx";
import { DriftMatrix } from "./drift-matrix.tsx";
import { CommandList } from "./fleet-commands.tsx";
import { actions, GiveCommand, type Action } from "./give-command.tsx";
import { NodeDrawer } from "./node-drawer.tsx";
import { faultsOf, isBehind, nameOf, usualOf, type NodeRow, type Usual } from "./node-health.ts";
import { NodeTable } from "./node-table.tsx";

const newestCommands = 5;

export function Nodes() {
  const status = useLive("status", (signal) =>
    api.get("/api/status", { query: { cluster: true }, signal }),
  );
  const commands = useResource(
    "commands",
    (signal) => api.get("/api/fleet/commands", { query: { limit: newestCommands }, signal }),
    { topics: ["fleet"] },
  );
  const command = panelIn("do");
  const [wanted, to = "all"] = command.value?.split(" ") ?? [];
  const action = actions.find((one) => one === wanted);
  const ask = (what: Action, node = "all") => command.open(`${what} ${node}`);
  const nodes = status.data?.nodes ?? [];
  const most = usualOf(nodes);
  const open = nodes.find(({ node }) => node === place.value.query.get("open"));
  const kinds = [
    ...new Set([
      ...nodes.flatMap(({ beat }) => Object.keys(beat?.kinds ?? {})),
      ...(status.data?.queue?.kinds ?? []).map(({ kind }) => kind),
    ]),
  ].sort();
  const areAllHeld = nodes.length > 0 && nodes.every(({ beat }) => !beat || beat.state === "paused" || beat.state === "drained"); // prettier-ignore
  const nameOfScope = (scope: string) => {
    const found = nodes.find(({ node }) => node === scope);
    return scope === "all" ? "all nodes" : found ? nameOf(found) : scope;
  };
  return (
    <>
      <Top title="Nodes">
        {may("fleet:command") && (
          <>
            <button class="btn" onClick={() => ask(areAllHeld ? "resume" : "pause")}>
              <Icon name={areAllHeld ? "play" : "pause"} />{" "}
              {areAllHeld ? "Resume all" : "Pause all"}
            </button>
            <button class="btn" onClick={() => ask("scale")}>
              <Icon name="settings" /> Scale or drain
            </button>
          </>
        )}
      </Top>
      <Loaded from={status}>
        {({ hub, nodes: all }) => (
          <>
            <NodeList nodes={all} hub={hub?.node} most={most} />
            <div class="grid">
              <DriftMatrix nodes={all} />
              <section class="card" aria-label="Commands">
                <header>
                  <h2>Last commands</h2>
                  <span class="sp" />
                  <a href="/activity" class="accent">
                    all activity
                  </a>
                </header>
                <Loaded from={commands}>
                  {({ rows }) =>
                    rows.length === 0 ? (
                      <p class="dim">
                        No command is in effect. The current desired state is in{" "}
                        <a class="accent" href="/activity">
                          Activity
                        </a>
                        .
                      </p>
                    ) : (
                      <CommandList
                        rows={rows}
                        nameOfScope={nameOfScope}
                        onChanged={commands.reload}
                      />
                    )
                  }
                </Loaded>
              </section>
            </div>
          </>
        )}
      </Loaded>
      <Same command="forager status --cluster" api="GET /api/status?cluster=true" />
      {open && (
        <NodeDrawer
          key={open.node}
          node={open}
          most={most}
          onCommand={(what) => ask(what, open.node)}
        />
      )}
      {action && may("fleet:command") && (
        <GiveCommand
          to={to}
          action={action}
          nodes={nodes}
          kinds={kinds}
          onClose={() => {
            command.close();
            commands.reload();
          }}
        />
      )}
    </>
  );
}

interface NodeListProps {
  readonly nodes: readonly NodeRow[];
  readonly hub: string | undefined;
  readonly most: Usual;
}

/** Filters are stored in the address. */
function NodeList({ nodes, hub, most }: NodeListProps) {
  const words = (place.value.query.get("words") ?? "").toLowerCase();
  const areFaultsOnly = place.value.query.get("faults") === "true";
  const hasFault = (node: NodeRow) => faultsOf(node, most).length > 0 || isBehind(node);
  const shown = nodes
    .filter((node) =>
      `${nameOf(node)} ${node.node} ${node.beat?.state ?? ""} ${node.beat?.version ?? ""}`
        .toLowerCase()
        .includes(words),
    ) // prettier-ignore
    .filter((node) => !areFaultsOnly || hasFault(node));
  const faulty = nodes.filter(hasFault).length;
  return (
    <>
      <div class="row">
        <SearchBox label="Search nodes" placeholder="Name, state or version" resets={["open"]} />
        <a
          class="btn"
          aria-current={areFaultsOnly ? "true" : undefined}
          href={withQuery({ faults: areFaultsOnly ? undefined : "true" })}
        >
          <Icon name="filter" /> {areFaultsOnly ? "Show all" : `With faults (${faulty})`}
        </a>
        <span class="dim" role="status">
          {plural(nodes.filter(({ isPresent }) => isPresent).length, "node")} present
        </span>
      </div>
      <section class="card" aria-label="Nodes">
        {shown.length > 0 ? (
          <NodeTable nodes={shown} hub={hub} most={most} />
        ) : areFaultsOnly && words === "" ? (
          <Notice icon="check" title="No node has a fault">
            <p>
              <a class="accent" href="/nodes">
                Show all nodes
              </a>
            </p>
          </Notice>
        ) : (
          <Notice icon="server" title="No node matches">
            <p>
              <a class="accent" href="/nodes">
                Show all nodes
              </a>
              , or start another: <code>forager up</code>
            </p>
          </Notice>
        )}
      </section>
    </>
  );
}
