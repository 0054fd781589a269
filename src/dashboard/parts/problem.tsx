import { shownText } from "../data/safe-text.ts";

/** The reason why an action of the user failed. */
export function Problem({ title, text }: { readonly title: string; readonly text: string }) {
  if (text === "") return null;
  return (
    <div class="alarm bad" role="alert">
      <b>{title}</b>
      <span>{shownText(text, 600)}</span>
    </div>
  );
}
