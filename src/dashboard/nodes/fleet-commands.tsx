import { useSignal } from "@preact/signals";
import { api, type AnswerOf } from "../data/api.ts";
import { formatDuration } from "../data/format.ts";
import { failureText } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";

export type ShownCommand = AnswerOf<"GET", "/api/fleet/commands/{revision}">;

const stateTexts = {
  pending: ["waiting for answers", "warn"],
  settled: ["done", ""],
  partial: ["not applied everywhere", "bad"],
} as const;

const statusPills = { followed: "", failed: "bad", waiting: "warn", away: "quiet" } as const;

/** The response of each node to a command, and how long it took. */
export function CommandAnswers({ nodes }: Pick<ShownCommand, "nodes">) {
  if (nodes.length === 0) return <p class="dim">No node has received it yet.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th>Node</th>
          <th>Answer</th>
          <th class="n">After</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ node, label, status, afterMs, what }) => (
          <tr key={node}>
            <td>
              <a href={`/nodes?open=${encodeURIComponent(node)}`}>
                <Text value={label || node} max={40} />
              </a>
            </td>
            <td>
              <span class={`pill ${statusPills[status]}`}>{status}</span>{" "}
              <small class="dim">
                <Text value={what} max={200} />
              </small>
            </td>
            <td class="n">{afterMs === null ? "" : formatDuration(afterMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function CommandState({ state }: Pick<ShownCommand, "state">) {
  const [text, kind] = stateTexts[state];
  return <span class={`pill ${kind}`}>{text}</span>;
}

interface UndoProps {
  readonly command: ShownCommand;
  readonly onUndone: (next: ShownCommand) => void;
}

/** Restores the previous values with a new command. */
export function UndoCommand({ command: { revision }, onUndone }: UndoProps) {
  const isBusy = useSignal(false);
  if (!may("fleet:command")) return null;
  const undo = async () => {
    isBusy.value = true;
    try {
      const params = { revision };
      const next = await api.send("POST", "/api/fleet/commands/{revision}/undo", { params });
      showToast(`Undone by a new command: ${next.what.join(" ")}`);
      onUndone(next);
    } catch (error) {
      showToast(failureText(error, "nothing was changed"));
    }
    isBusy.value = false;
  };
  return (
    <button class="btn small" disabled={isBusy.value} onClick={() => void undo()}>
      <Icon name="undo-2" /> Undo
    </button>
  );
}

interface CommandListProps {
  readonly rows: readonly ShownCommand[];
  readonly nameOfScope: (scope: string) => string;
  readonly onChanged: () => void;
}

/** Commands, newest first, each with the responses. */
export function CommandList({ rows, nameOfScope, onChanged }: CommandListProps) {
  return (
    <ul class="entries">
      {rows.map((command, index) => (
        <li key={command.revision}>
          <details open={index === 0}>
            <summary>
              <b>
                <Text value={command.what.join(" ")} max={120} />
              </b>{" "}
              <span class="dim">
                to <Text value={nameOfScope(command.scope)} max={40} />, by{" "}
                <Text value={command.by.replace(/^hand:/, "")} max={40} />,{" "}
                <Ago atMs={command.atMs} />
              </span>{" "}
              <CommandState state={command.state} />
            </summary>
            <CommandAnswers nodes={command.nodes} />
            {command.notice !== null && (
              <p class="dim">
                <Text value={command.notice} />
              </p>
            )}
            <p class="row">
              <UndoCommand command={command} onUndone={onChanged} />
            </p>
          </details>
        </li>
      ))}
    </ul>
  );
}
