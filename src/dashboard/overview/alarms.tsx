import { shownText } from "../data/safe-text.ts";
import { copyText } from "../parts/toast.tsx";

const shownMax = 4;

/** What a person should look at. Commands within a text can be copied. */
export function Alarms({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <div class="stack" role="status" aria-label="Needs attention">
      {texts.slice(0, shownMax).map((text) => (
        <Alarm key={text} text={text} />
      ))}
      {texts.length > shownMax && (
        <p class="dim">
          and {texts.length - shownMax} more: <code>forager status --cluster</code>
        </p>
      )}
    </div>
  );
}

export function Alarm({ text }: { readonly text: string }) {
  const parts = shownText(text, 600).split("`");
  return (
    <div class="alarm">
      <b>Needs attention</b>
      <span>
        {parts.map((part, index) =>
          index % 2 === 0 ? (
            part
          ) : (
            <button class="link" title="Copy" onClick={() => void copyText(part)} key={index}>
              <code>{part}</code>
            </button>
          ),
        )}
      </span>
    </div>
  );
}
