import { place, withQuery } from "../data/router.ts";

/** Minutes, as the URL has them, and how they are shown. */
type Span = readonly [minutes: string, text: string];

const usual = "60";

/** The span that the URL names; without one, an hour. */
export const spanInUrl = (spans: readonly Span[]): string =>
  spans.find(([minutes]) => minutes === place.value.query.get("minutes"))?.[0] ?? usual;

/** Links that choose how far back a chart goes. */
export function SpanLinks({ spans }: { readonly spans: readonly Span[] }) {
  const chosen = spanInUrl(spans);
  return (
    <small>
      {spans.map(([minutes, text], index) => (
        <>
          {index > 0 && " · "}
          <a
            href={withQuery({ minutes: minutes === usual ? undefined : minutes })}
            class={minutes === chosen ? "accent" : ""}
            aria-current={minutes === chosen ? "true" : undefined}
          >
            {text}
          </a>
        </>
      ))}
    </small>
  );
}
