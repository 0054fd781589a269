import { api } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { valueText } from "../data/safe-text.ts";
import { CommandList } from "../nodes/fleet-commands.tsx";
import { nameOf } from "../nodes/node-health.ts";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Ago, Text } from "../parts/text.tsx";

const commandsMax = 100;

/** Commands to nodes, the response of each node, and the current desired state. */
export function FleetActivity() {
  const commands = useResource(
    "commands",
    (signal) => api.get("/api/fleet/commands", { query: { limit: commandsMax }, signal }),
    { topics: ["fleet"] },
  );
  const desired = useResource("fleet", (signal) => api.get("/api/fleet", { signal }), {
    topics: ["fleet"],
  });
  const nameOfScope = (scope: string) => {
    const found = desired.data?.nodes.find(({ node }) => node === scope);
    return scope === "all" ? "all nodes" : found ? nameOf(found) : scope;
  };
  return (
    <>
      <div class="grid">
        <section class="card" aria-label="Commands">
          <header>
            <h2>Commands</h2>
            <span class="sp" />
            <small>those that still hold, and those given through this server</small>
          </header>
          <Loaded from={commands}>
            {({ rows }) =>
              rows.length === 0 ? (
                <Notice icon="terminal" title="No command is in effect">
                  <p>
                    Pause, drain or scale in{" "}
                    <a class="accent" href="/nodes">
                      Nodes
                    </a>
                    , or run <code>forager fleet set all pause</code>
                  </p>
                </Notice>
              ) : (
                <CommandList rows={rows} nameOfScope={nameOfScope} onChanged={commands.reload} />
              )
            }
          </Loaded>
        </section>
        <section class="card" aria-label="Current desired state">
          <header>
            <h2>Current desired state</h2>
          </header>
          <Loaded from={desired}>
            {({ entries, notice }) => (
              <>
                {entries.length === 0 ? (
                  <p class="dim">None: every node uses its own settings.</p>
                ) : (
                  <table>
                    <thead>
                      <tr>
                        <th>Of</th>
                        <th>What</th>
                        <th>By</th>
                      </tr>
                    </thead>
                    <tbody>
                      {entries.map(({ scope, key, value, by, atMs }) => (
                        <tr key={`${scope} ${key}`}>
                          <td>
                            <Text value={nameOfScope(scope)} max={40} />
                          </td>
                          <td>
                            <Text
                              value={`${key} = ${valueText(value) || "as set on the node"}`}
                              max={120}
                            />
                          </td>
                          <td>
                            <Text value={by.replace(/^hand:/, "")} max={40} />
                            <br />
                            <small class="dim">
                              <Ago atMs={atMs} />
                            </small>
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                )}
                {notice !== null && (
                  <p class="dim">
                    <Text value={notice} />
                  </p>
                )}
              </>
            )}
          </Loaded>
        </section>
      </div>
      <Same command="forager fleet show" api="GET /api/fleet/commands" />
    </>
  );
}
