import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { shownText } from "../data/safe-text.ts";

interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: ToastAction | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const shownMs = 4_000;
/** Longer, because the user has to read the message and decide. */
const shownWithActionMs = 12_000;
let lastId = 0;

/** Shows a short message about an action of the user, optionally with a button that undoes it. */
export function showToast(text: string, action?: ToastAction): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-2), { id, text: shownText(text), action }];
  setTimeout(() => hide(id), action ? shownWithActionMs : shownMs);
}

const hide = (id: number) => (toasts.value = toasts.value.filter((toast) => toast.id !== id));

/** Newest last. Everything outside of the newest dialog cannot be clicked. */
const owners = signal<readonly number[]>([]);

/** The page and each dialog have one; only that of the newest dialog shows messages. */
export function Toasts() {
  const [own] = useState(() => ++lastId);
  useEffect(() => {
    owners.value = [...owners.peek(), own];
    return () => void (owners.value = owners.peek().filter((one) => one !== own));
  }, []);
  const isShown = owners.value.at(-1) === own;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {isShown &&
        toasts.value.map(({ id, text, action }) => (
          <div class="toast" key={id}>
            <span>{text}</span>
            {action && (
              <button
                class="link"
                onClick={() => {
                  hide(id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
          </div>
        ))}
    </div>
  );
}

/** The clipboard is not available over plain http from another machine. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(`Copied: ${text}`);
  } catch {
    showToast(`Copy it from here: ${text}`);
  }
}
