import type { AnswerOf } from "../data/api.ts";
import { formatDuration, plural } from "../data/format.ts";
import { Text } from "../parts/text.tsx";

type Node = AnswerOf<"GET", "/api/status">["nodes"][number];

export function NodesCard({
  nodes,
  hub,
}: {
  readonly nodes: readonly Node[];
  readonly hub: string | undefined;
}) {
  // prettier-ignore
  return (
    <section class="card">
      <header>
        <h2>Nodes</h2>
        <span class="sp" />
        <small>
          <a href="/nodes">
            {plural(nodes.filter(({ isPresent }) => isPresent).length, "node")} present
          </a>
        </small>
      </header>
      <table>
        <tbody>
          {nodes.slice(0, 20).map((node) => (
            <tr key={node.node}>
              <td>
                <a href={`/nodes?open=${encodeURIComponent(node.node)}`}>
                  <Text value={node.label || node.node} max={40} />
                </a>{" "}
                {node.isSelf && <span class="pill quiet">this node</span>}{" "}
                {node.node === hub && <span class="pill">hub</span>}
              </td>
              <td class="n dim hide-s">{measures(node)}</td>
              <td class="n">
                <NodeState node={node} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function measures({ beat }: Node): string {
  if (!beat) return "";
  return [
    `load ${beat.load1.toFixed(1)}`,
    ...(beat.temperatureC === undefined ? [] : [`${Math.round(beat.temperatureC)} °C`]),
  ].join(" · ");
}

function NodeState({ node: { isPresent, isSelf, beat, drift, agoMs } }: { readonly node: Node }) {
  if (!isPresent && !isSelf && beat?.state !== "stopped")
    return <span class="pill warn">not seen for {formatDuration(agoMs ?? 0)}</span>;
  if (drift && (drift.missingHere > 0 || (drift.missingThere ?? 0) > 0))
    return (
      <span class="pill warn">
        {plural(drift.missingHere + (drift.missingThere ?? 0), "change")} behind,{" "}
        {formatDuration(1_000 * drift.seconds)}
      </span>
    );
  if (!beat) return <span class="dim">{isSelf ? "serving" : "no heartbeat"}</span>;
  return (
    <>{beat.state === "working" || beat.state === "idle" ? `${beat.state}, in sync` : beat.state}</>
  );
}
