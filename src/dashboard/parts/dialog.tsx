import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
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
 * Opens a dialog as long as its component is shown. The focus goes back to where it was: the browser
 * does that only if the dialog is closed before its element is removed.
 */
export function useModal(element: RefObject<HTMLDialogElement | null>): void {
  // Before the page is painted: what somebody types at once belongs to the dialog.
  useLayoutEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true }); // prettier-ignore
    };
  }, []);
}

/**
 * A modal panel. The browser keeps the focus in it, Escape closes it, and the focus returns
 * afterwards.
 */
export function Dialog({ title, onClose, children, shape = "dialog", actions }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useModal(element);
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
