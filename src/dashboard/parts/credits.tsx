import { SafeLink } from "./text.tsx";

export interface Licence {
  readonly text: string;
  readonly licence: string;
  readonly url: string;
}

/** The attributions that the licences of open data require. */
export function Credits({ of = [] }: { readonly of?: readonly Licence[] | undefined }) {
  if (of.length === 0) return null;
  return (
    <p class="dim credits">
      <small>
        Contains open data:{" "}
        {of.map(({ text, licence, url }, at) => (
          <span key={text}>
            {at > 0 && ", "}
            <SafeLink href={url} text={text} /> ({licence})
          </span>
        ))}
      </small>
    </p>
  );
}
