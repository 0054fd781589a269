import { shownText } from "../data/safe-text.ts";
import { copyText } from "./toast.tsx";

/** Text in which `commands` between backticks can be copied. */
export function CommandText({ text }: { readonly text: string }) {
  const parts = shownText(text, 600).split("`");
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <button class="link" title="Copy" onClick={() => void copyText(part)} key={index}>
            <code>{part}</code>
          </button>
        ),
      )}
    </>
  );
}
