import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { failureText } from "../data/resource.ts";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

interface DialogFormProps {
  readonly title: string;
  /** The text of the button that sends the form. */
  readonly button: string;
  /** The title and the consequence of a failure: "Not added", "nothing was added". */
  readonly failure: readonly [title: string, text: string];
  /** False: the form cannot be sent yet. */
  readonly isReady?: boolean;
  /** Resolves with what is wrong with the input, or with undefined. A rejection is shown too. */
  readonly onSend: (form: FormData) => Promise<string | undefined>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in a dialog. If sending it fails, it stays open and shows the reason. */
export function DialogForm(props: DialogFormProps) {
  const { title, button, failure, isReady = true, onSend, onClose, children } = props;
  const problem = useSignal("");
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    problem.value = "";
    try {
      problem.value = (await onSend(new FormData(event.target as HTMLFormElement))) ?? "";
    } catch (error) {
      problem.value = failureText(error, failure[1]);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void send(event)}>
        {children}
        <Problem title={failure[0]} text={problem.value} />
        <div class="row">
          <button class="btn go" disabled={!isReady}>
            {button}
          </button>
          <button type="button" class="btn" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The text of a field, without spaces around it; empty if there is no such field. */
export const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
};
