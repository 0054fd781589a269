import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../data/api.ts";
import { failureText } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Problem } from "../parts/problem.tsx";
import { Same } from "../parts/same.tsx";
import { CommandAnswers, CommandState, UndoCommand, type ShownCommand } from "./fleet-commands.tsx";
import { nameOf, type NodeRow } from "./node-health.ts";

export const actions = ["pause", "resume", "drain", "scale"] as const;
export type Action = (typeof actions)[number];

const texts: Readonly<Record<Action, readonly [verb: string, explanation: string]>> = {
  pause: ["Pause", "Starts no more tasks. Running tasks have some time to finish."],
  resume: ["Resume", "Works again, according to its settings."],
  drain: ["Drain", "Finishes running tasks, then stops the worker processes until Resume."],
  scale: ["Scale", "How many tasks of one kind may run at once. 0: none."],
};

interface GiveCommandProps {
  readonly nodes: readonly NodeRow[];
  /** The id of a node, or `all`. */
  readonly to: string;
  readonly action: Action;
  readonly kinds: readonly string[];
  readonly onClose: () => void;
}

/** Sends a command to nodes, and shows the response of each node when it arrives. */
export function GiveCommand(props: GiveCommandProps) {
  const given = useSignal<ShownCommand | undefined>(undefined);
  return (
    <Dialog title={given.value ? "Answers of the nodes" : "Command nodes"} onClose={props.onClose}>
      {given.value ? (
        <Answers
          key={given.value.revision}
          first={given.value}
          onUndone={(next) => (given.value = next)}
          onClose={props.onClose}
        />
      ) : (
        <Ask {...props} onGiven={(command) => (given.value = command)} />
      )}
    </Dialog>
  );
}

function Ask(props: GiveCommandProps & { readonly onGiven: (command: ShownCommand) => void }) {
  const { nodes, kinds, onClose, onGiven } = props;
  const to = useSignal(props.to);
  const action = useSignal(props.action);
  const kind = useSignal(kinds[0] ?? "");
  const count = useSignal("4");
  const problem = useSignal("");
  const isBusy = useSignal(false);
  const word = action.value === "scale" ? `workers.${kind.value}=${count.value.trim() || "default"}` : action.value; // prettier-ignore
  const give = async (event: Event) => {
    event.preventDefault();
    isBusy.value = true;
    problem.value = "";
    try {
      onGiven(await api.send("POST", "/api/fleet/commands", { body: { node: to.value, what: [word] } })); // prettier-ignore
    } catch (error) {
      problem.value = failureText(error, "no command was sent");
      isBusy.value = false;
    }
  };
  const [verb, explanation] = texts[action.value];
  const target = nodes.find(({ node }) => node === to.value);
  return (
    <form class="stack" onSubmit={(event) => void give(event)}>
      <div class="row" role="radiogroup" aria-label="What to do">
        {actions.map((one) => (
          <label key={one} class="row choice">
            <input
              type="radio"
              name="action"
              checked={action.value === one}
              onChange={() => (action.value = one)}
            />
            {texts[one][0]}
          </label>
        ))}
      </div>
      <p class="dim">
        {explanation} It holds until it is set again; a node that is away follows when it is back.
      </p>
      <label class="field-label">
        Which node
        <select value={to.value} onChange={(event) => (to.value = event.currentTarget.value)}>
          <option value="all">all nodes ({nodes.length})</option>
          {nodes.map((node) => (
            <option key={node.node} value={node.node}>
              {shownText(nameOf(node), 60)}
            </option>
          ))}
        </select>
      </label>
      {action.value === "scale" && (
        <div class="row">
          <label class="field-label">
            Kind of task
            <select
              value={kind.value}
              onChange={(event) => (kind.value = event.currentTarget.value)}
            >
              {kinds.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <label class="field-label">
            Tasks at once; empty: as its settings say
            <input
              inputMode="numeric"
              value={count.value}
              maxLength={40}
              onInput={(event) => (count.value = event.currentTarget.value)}
            />
          </label>
        </div>
      )}
      <Problem title="Not done" text={problem.value} />
      <div class="row">
        <button
          class="btn go"
          disabled={isBusy.value || (action.value === "scale" && kind.value === "")}
        >
          {verb}{" "}
          {to.value === "all" ? "all nodes" : shownText(target ? nameOf(target) : to.value, 40)}
        </button>
        <button type="button" class="btn" onClick={onClose}>
          Cancel
        </button>
      </div>
      <Same
        command={`forager fleet set ${to.value === "all" || !target ? to.value : nameOf(target)} ${word}`}
        api="POST /api/fleet/commands"
      />
    </form>
  );
}

const lookMs = 1_000;

interface AnswersProps {
  readonly first: ShownCommand;
  readonly onUndone: (next: ShownCommand) => void;
  readonly onClose: () => void;
}

function Answers({ first, onUndone, onClose }: AnswersProps) {
  const now = useSignal(first);
  const { revision, what, state, nodes, notice } = now.value;
  useEffect(() => {
    if (state === "settled") return undefined;
    const timer = setInterval(() => {
      api.get("/api/fleet/commands/{revision}", { params: { revision } }).then(
        (read) => (now.value = read),
        () => {}, // the next one may succeed
      );
    }, lookMs);
    return () => clearInterval(timer);
  }, [state]);
  return (
    <div class="stack">
      <p class="row" role="status">
        <b>{shownText(what.join(" "), 120)}</b> <CommandState state={state} />
      </p>
      <CommandAnswers nodes={nodes} />
      {notice !== null && <p class="dim">{shownText(notice)}</p>}
      <div class="row">
        <button class="btn go" onClick={onClose}>
          Close
        </button>
        <UndoCommand command={now.value} onUndone={onUndone} />
      </div>
    </div>
  );
}
