import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { shownText } from "../data/safe-text.ts";
import { Icon } from "./icon.tsx";
import { Toasts } from "./toast.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** `drawer`: at the side. */
  readonly shape?: "drawer" | "dialog" | "dialog wide";
  /** Shown next to the title. */
  readonly actions?: ComponentChildren;
}

/**
 * A modal panel. The browser keeps the focus in it, Escape closes it, and the focus returns
 * afterwards.
 */
export function Dialog({ title, onClose, children, shape = "dialog", actions }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  const shown = shownText(title, 120);
  return (
    <dialog
      ref={element}
      class={shape}
      aria-label={shown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="panel-head">
        <h2>
          <bdi>{shown}</bdi>
        </h2>
        {actions}
        <button class="btn bare" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </button>
      </div>
      <div class="panel-body">{children}</div>
      <Toasts />
    </dialog>
  );
}
