import { isPublished } from "../data/published.ts";
import { copyText } from "./toast.tsx";

/** The command and the API call that return the data of a screen. A click copies. */
export function Same({ command, api }: { readonly command: string; readonly api: string }) {
  if (isPublished) return null;
  return (
    <footer class="same" aria-label="The same on the command line and in the API">
      <button class="link" title="Copy the command" onClick={() => void copyText(command)}>
        $ {command}
      </button>
      <button class="link" title="Copy the API call" onClick={() => void copyText(api)}>
        {api}
      </button>
    </footer>
  );
}
