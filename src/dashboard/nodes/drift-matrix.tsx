import { formatCount, plural } from "../data/format.ts";
import { Text } from "../parts/text.tsx";
import { nameOf, type NodeRow } from "./node-health.ts";

/** More nodes do not fit on a screen; the nodes that lack most are shown. */
const shownMax = 16;

/** How many changes each node lacks of each other node. Changes are numbered without gaps, so counts are exact. */
export function DriftMatrix({ nodes }: { readonly nodes: readonly NodeRow[] }) {
  const known = nodes.filter(({ lacks }) => lacks !== null);
  const missing = (node: NodeRow) => node.lacks!.reduce((sum, { datagrams }) => sum + datagrams, 0);
  const shown =
    known.length <= shownMax
      ? known
      : known.toSorted((a, b) => missing(b) - missing(a)).slice(0, shownMax);
  const total = known.reduce((sum, node) => sum + missing(node), 0);
  const silent = nodes.length - known.length;
  return (
    <section class="card" id="drift" aria-label="Drift">
      <header>
        <h2>{total === 0 ? "All nodes have the same data" : "Who lacks what"}</h2>
        <span class="sp" />
        <small>
          {silent > 0 && `${plural(silent, "node")} without data about this · `}each number: changes
          of the column's node that the row's node does not have
        </small>
      </header>
      {known.length < 2 ? (
        <p class="dim">
          There is nothing to compare yet. Nodes report what they have by gossip or through the
          bucket: <code>forager status --cluster</code>
        </p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Drift between nodes">
          <table class="matrix">
            <thead>
              <tr>
                <th scope="col">Row lacks changes of:</th>
                {shown.map((column) => (
                  <th key={column.node} scope="col" class="n">
                    <Text value={nameOf(column)} max={14} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={row.node}>
                  <th scope="row">
                    <Text value={nameOf(row)} max={24} />
                  </th>
                  {shown.map((column) => (
                    <td key={column.node} class="n">
                      <Cell row={row} column={column} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {known.length > shownMax && (
        <p class="dim">
          The {shownMax} nodes that lack most are shown, of {formatCount(known.length)}.
        </p>
      )}
    </section>
  );
}

function Cell({ row, column }: { readonly row: NodeRow; readonly column: NodeRow }) {
  if (row.node === column.node) return <span class="dim">–</span>;
  const found = row.lacks!.find(({ of }) => of === column.node);
  if (!found) return <span class="dim">0</span>;
  const log = `/nodes?open=${encodeURIComponent(row.node)}&tab=log`;
  return (
    <a class="pill warn" href={log} title={`the log of ${nameOf(row)}`}>
      {formatCount(found.datagrams)}
    </a>
  );
}
