import { timeOf } from "../data/format.ts";
import { shownText } from "../data/safe-text.ts";
import { Ago, Text } from "../parts/text.tsx";
import type { CompanyShown } from "./company-drawer.tsx";

interface Step {
  readonly atMs: number | undefined;
  readonly title: string;
  readonly detail: string;
  readonly href?: string;
}

/** The history of one lead: tile, place, visit of the website, values. */
export function CompanyTrace({ company }: { readonly company: CompanyShown }) {
  const steps = stepsOf(company);
  if (steps.length === 0) return <p class="dim">Nothing is known about how it was found. It may have been added by hand.</p>; // prettier-ignore
  return (
    <ol class="timeline">
      {steps.map(({ atMs, title, detail, href }) => (
        <li key={`${title}${detail}${atMs}`}>
          <b>{href ? <a href={href}>{title}</a> : title}</b>{" "}
          <small class="dim">
            <Ago atMs={atMs} />
          </small>
          <br />
          <Text value={detail} max={400} />
        </li>
      ))}
    </ol>
  );
}

function stepsOf({ provenance, visit, emails }: CompanyShown): readonly Step[] {
  const found = provenance
    .filter(({ field }) => field.startsWith("found/"))
    .map(({ field, value, stamp, source }) => {
      const [, tile = "", phrase = ""] = field.split("/");
      return {
        atMs: timeOf(stamp),
        title: `Found in tile ${shownText(tile, 40)}`,
        detail: `for “${phrase}” by ${sourceIn(value) ?? source}`,
        href: `/map?tile=${encodeURIComponent(tile)}`,
      };
    });
  // The original place is also in the list of its places.
  const places = provenance
    .filter(({ field }) => field.startsWith("place/"))
    .map(({ field, stamp }) => ({ atMs: timeOf(stamp), title: "Place", detail: field.slice("place/".length) })); // prettier-ignore
  const visits = visit
    ? [{ atMs: timeOf(visit.at), title: "Website visited", detail: `${visit.outcome}${visit.reason === undefined ? "" : `: ${visit.reason}`}; ${visit.seen.length} contacts seen` }] // prettier-ignore
    : [];
  const read = emails.flatMap(({ value, url }) => {
    const fact = provenance.find(({ field }) => field === `email/${value}`);
    return fact ? [{ atMs: timeOf(fact.stamp), title: "Email", detail: `${value}${url ? ` on ${url}` : ""}` }] : []; // prettier-ignore
  });
  return [...found, ...places, ...visits, ...read].toSorted(
    (a, b) => (a.atMs ?? 0) - (b.atMs ?? 0),
  );
}

function sourceIn(value: unknown): string | undefined {
  return typeof value === "object" &&
    value !== null &&
    "source" in value &&
    typeof value.source === "string"
    ? value.source
    : undefined;
}
