import { computed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatAgo, formatTime, serverNowMs, slowTick, tick } from "../data/format.ts";
import { safeHref, shownText } from "../data/safe-text.ts";

/** Text from outside. Its direction does not affect the text around it. */
export function Text({ value, max }: { readonly value: string; readonly max?: number }) {
  return <bdi>{shownText(value, max)}</bdi>;
}

/** A link if the address may be opened, otherwise only the text. */
export function SafeLink({
  href,
  text,
}: {
  readonly href: string | undefined;
  readonly text: string;
}) {
  const safe = href === undefined ? undefined : safeHref(href);
  if (safe === undefined) return <Text value={text} />;
  const isPage = safe.startsWith("http");
  return (
    <a class="accent" href={safe} rel="noreferrer noopener" {...(isPage && { target: "_blank" })}>
      <Text value={text} />
    </a>
  );
}

/** An age that is updated while the page is open; the exact time on hover. */
export function Ago({ atMs }: { readonly atMs: number | undefined }) {
  if (atMs === undefined) return null;
  return <Age atMs={atMs} />;
}

/** Of a long list thousands are on the page: only texts that change are written again. */
function Age({ atMs }: { readonly atMs: number }) {
  const text = useMemo(
    () =>
      computed(() => {
        const isYoung = Math.abs(serverNowMs() - atMs) < youngMs;
        void (isYoung ? tick : slowTick).value;
        return formatAgo(atMs);
      }),
    [atMs],
  );
  return <time dateTime={new Date(atMs).toISOString()} title={formatTime(atMs)}>{text}</time>; // prettier-ignore
}

/** From then on ages are shown in minutes or more. */
const youngMs = 90_000;
