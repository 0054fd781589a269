import { timeOf } from "../data/format.ts";
import { safeHref, shownText } from "../data/safe-text.ts";
import { Ago, SafeLink } from "../parts/text.tsx";

/** A value of the ledger with its source. */
export interface SourcedValue {
  readonly field: string;
  readonly value?: unknown;
  readonly source: string;
  readonly stamp: string;
  readonly node: string;
  /** The licence of the open data it comes from. */
  readonly licence?: string | undefined;
}

/** `hand:anna` is a person, `web:https://…` a page, `osm:…` a place source. */
export function sourceText(source: string): string {
  const [, kind = "", rest = ""] = /^([a-z-]+):(.*)$/s.exec(source) ?? [];
  if (kind === "hand") return `by hand, ${rest}`;
  return source;
}

/** The page on which a value was found, if its value or its source names one. */
export function pageOf({ value, source }: SourcedValue): string | undefined {
  const within =
    typeof value === "object" && value !== null && "url" in value ? value.url : undefined;
  const candidates = [within, source.replace(/^[a-z-]+:(?=https?:)/, "")];
  return candidates.find((one): one is string => typeof one === "string" && safeHref(one) !== undefined); // prettier-ignore
}

export function Provenance({ of }: { readonly of: SourcedValue }) {
  const page = pageOf(of);
  return (
    <div class="prov">
      {page === undefined ? (
        shownText(sourceText(of.source), 120)
      ) : (
        <>
          from <SafeLink href={page} text={page} />
        </>
      )}
      , <Ago atMs={timeOf(of.stamp)} />
      {of.node !== "" && `, written by node ${shownText(of.node, 40)}`}
      {of.licence !== undefined && `, licence ${shownText(of.licence, 40)}`}
    </div>
  );
}
