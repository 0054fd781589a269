import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { AnswerOf } from "../data/api.ts";
import { formatCount } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { Dialog } from "./dialog.tsx";
import { Progress } from "./progress.tsx";
import { Loaded } from "./state-view.tsx";
import { Text } from "./text.tsx";

export type Selection = AnswerOf<"GET", "/api/selections/companies/{id}">;

/** The API calls for one kind of selection. */
export interface BulkCalls {
  /** Stores on the server what matches now. */
  readonly select: (signal: AbortSignal) => Promise<Selection>;
  readonly read: (id: string) => Promise<Selection>;
  readonly run: (id: string, count: number) => Promise<Selection>;
  readonly stop: (id: string) => Promise<Selection>;
  readonly undo?: (id: string) => Promise<Selection>;
}

interface BulkProps extends BulkCalls {
  readonly title: string;
  /** "3 companies". */
  readonly countText: (count: number) => string;
  /** The verb on the button, before the count. */
  readonly verb: string;
  readonly canRun?: boolean;
  /** The form that chooses the action. */
  readonly children?: ComponentChildren;
  readonly onClose: () => void;
}

/** From this count on, the user has to type the count, because a click may be a mistake. */
const typedFrom = 100;
const pollMs = 700;

/**
 * One action on many items: the selection is fixed, counted and confirmed; then its progress is
 * shown.
 */
export function Bulk(props: BulkProps) {
  const selected = useResource("selection", props.select);
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <Loaded from={selected}>{(selection) => <Frozen {...props} first={selection} />}</Loaded>
    </Dialog>
  );
}

function Frozen(props: BulkProps & { readonly first: Selection }) {
  const { first, countText, verb, canRun = true, children, onClose } = props;
  const now = useSignal(first);
  const typed = useSignal("");
  const problem = useSignal("");
  const { id, count, samples, isComplete, actions } = now.value;
  const last = actions.at(-1);
  const isRunning = last?.state === "running";
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(
      () =>
        void props.read(id).then(
          (read) => (now.value = read),
          () => {}, // the next one may succeed
        ),
      pollMs,
    );
    return () => clearInterval(timer);
  }, [isRunning]);
  const call = async (ask: Promise<Selection>) => {
    problem.value = "";
    try {
      now.value = await ask;
    } catch (error) {
      problem.value = failureText(error, "nothing was changed");
    }
  };
  if (count === 0) return <p>Nothing matches now, so there is nothing to change.</p>;
  const isConfirmed = count < typedFrom || typed.value.replaceAll(/[\s,.]/g, "") === String(count);
  return (
    <div class="stack">
      <p>
        <b>{countText(count)}</b>
        {isComplete ? "" : " (more match; this is the maximum of one action)"}, such as{" "}
        {samples.map((sample, index) => (
          <>
            {index > 0 && ", "}
            <Text value={sample} max={60} />
          </>
        ))}
        . Records that match later are not changed.
      </p>
      {problem.value !== "" && (
        <div class="alarm bad" role="alert">
          <b>Not done</b>
          <span>{shownText(problem.value, 600)}</span>
        </div>
      )}
      {last ? (
        <>
          <Progress done={last.done} total={count} label={`Progress of ${last.action}`}>
            {last.state === "running"
              ? `${formatCount(last.done)} of ${formatCount(count)}`
              : `${shownText(last.action)}: ${stateTexts[last.state]}, ${formatCount(last.changed)} changed`}
          </Progress>
          {last.fault !== null && <p class="dim">{shownText(last.fault, 600)}</p>}
          <div class="row">
            {isRunning && (
              <button class="btn" onClick={() => void call(props.stop(id))}>
                Stop
              </button>
            )}
            {!isRunning && last.canUndo && props.undo && (
              <button class="btn" onClick={() => void call(props.undo!(id))}>
                Undo
              </button>
            )}
            {!isRunning && (
              <button class="btn go" onClick={onClose}>
                Close
              </button>
            )}
          </div>
        </>
      ) : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void call(props.run(id, count));
          }}
        >
          {children}
          {count >= typedFrom && (
            <label class="field-label">
              Type {count} to confirm
              <input
                inputMode="numeric"
                value={typed.value}
                onInput={(event) => (typed.value = event.currentTarget.value)}
              />
            </label>
          )}
          <div class="row">
            <button class="btn go" disabled={!isConfirmed || !canRun}>
              {verb} {countText(count)}
            </button>
            <button type="button" class="btn" onClick={onClose}>
              Cancel
            </button>
          </div>
        </form>
      )}
    </div>
  );
}

const stateTexts = { running: "running", done: "done", stopped: "stopped", failed: "failed" };
