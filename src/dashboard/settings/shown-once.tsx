import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { copyText } from "../parts/toast.tsx";

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that the server shows only once. */
export function ShownOnce({ title, text, secret, onClose }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        <p>{text}</p>
        <code class="secret">{secret}</code>
        <div class="row">
          <button class="btn go" onClick={() => void copyText(secret)}>
            <Icon name="copy" /> Copy
          </button>
          <button class="btn" onClick={onClose}>
            Done
          </button>
        </div>
        <p class="dim">It is not shown again.</p>
      </div>
    </Dialog>
  );
}
