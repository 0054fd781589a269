import { signal } from "@preact/signals";
import { shownText } from "../data/safe-text.ts";

const toasts = signal<readonly { readonly id: number; readonly text: string }[]>([]);
const shownMs = 4_000;
let lastId = 0;

/** A short message about something that the person has just done. */
export function say(text: string): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-2), { id, text: shownText(text) }];
  setTimeout(() => (toasts.value = toasts.value.filter((toast) => toast.id !== id)), shownMs);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text }) => (
        <div class="toast" key={id}>
          {text}
        </div>
      ))}
    </div>
  );
}

/** The clipboard is absent on plain http from another machine. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`);
  } catch {
    say(`Copy it from here: ${text}`);
  }
}
