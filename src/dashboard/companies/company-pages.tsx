import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { withQuery } from "../data/router.ts";
import type { Column } from "./company-columns.tsx";
import type { CompanyRow } from "./company-query.ts";

/** Rows as they were loaded. */
export interface LoadedPage {
  /** The cursor that the page was requested with. */
  readonly after: string | undefined;
  /** Undefined: dropped, because the page is far from the window. */
  readonly rows: readonly CompanyRow[] | undefined;
  readonly count: number;
}

/** The pages that are in the window or near it. */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

interface CompanyPagesProps {
  readonly pages: readonly LoadedPage[];
  readonly columns: readonly Column[];
  readonly onRange: (range: PageRange) => void;
}

/** Pages within this distance of the window are drawn. */
const marginPixels = 700;
/** The height of a row until rows of the page were drawn. */
const rowPixels = 34;

/**
 * The table of companies. Only pages near the window are drawn, and the space of the others is kept
 * free: a browser lays out all rows of a table again when one is added.
 */
export function CompanyPages({ pages, columns, onRange }: CompanyPagesProps) {
  const table = useRef<HTMLTableElement>(null);
  const heights = useRef<number[]>([]);
  const range = useSignal<PageRange>({ first: 0, last: 0 });
  const heightOf = (at: number) => heights.current[at] ?? pages[at]!.count * rowPixels;
  const find = () => {
    if (!table.current) return;
    const top = table.current.getBoundingClientRect().top;
    let [y, first, last] = [top, pages.length - 1, 0];
    for (let at = 0; at < pages.length; at += 1) {
      const bottom = y + heightOf(at);
      if (bottom >= -marginPixels && y <= innerHeight + marginPixels) {
        first = Math.min(first, at);
        last = at;
      }
      y = bottom;
    }
    const next = { first, last: Math.max(first, last) };
    const known = range.peek();
    if (next.first === known.first && next.last === known.last) return;
    range.value = next;
    onRange(next);
  };
  const latest = useRef(find);
  latest.current = find;
  useLayoutEffect(find, [pages]);
  useEffect(() => {
    let frame = 0;
    const onMove = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        latest.current();
      });
    };
    addEventListener("scroll", onMove, { passive: true });
    addEventListener("resize", onMove, { passive: true });
    return () => {
      removeEventListener("scroll", onMove);
      removeEventListener("resize", onMove);
      cancelAnimationFrame(frame);
    };
  }, []);
  const { first, last } = range.value;
  const sum = (from: number, to: number) =>
    pages.slice(from, to).reduce((all, _, at) => all + heightOf(from + at), 0);
  const rowsBefore = (at: number) => pages.slice(0, at).reduce((all, { count }) => all + count, 0);
  return (
    <table class="rows cards windowed" ref={table} aria-rowcount={rowsBefore(pages.length) + 1}>
      <thead>
        <tr>
          {columns.map(({ key, title, isNumber, width }) => (
            <th key={key} class={isNumber ? "n" : ""} style={width ? { width: `${width}px` } : {}}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      {first > 0 && <Gap height={sum(0, first)} />}
      {pages.slice(first, last + 1).map(({ rows }, offset) => {
        const at = first + offset;
        return rows === undefined ? (
          <Gap key={at} height={heightOf(at)} />
        ) : (
          <CompanyPage
            key={at}
            rows={rows}
            columns={columns}
            firstRow={rowsBefore(at) + 2}
            onHeight={(height) => (heights.current[at] = height)}
          />
        );
      })}
      {last + 1 < pages.length && <Gap height={sum(last + 1, pages.length)} />}
    </table>
  );
}

const Gap = ({ height }: { readonly height: number }) => (
  <tbody class="gap" aria-hidden>
    <tr style={{ height: `${height}px` }} />
  </tbody>
);

interface CompanyPageProps {
  readonly rows: readonly CompanyRow[];
  readonly columns: readonly Column[];
  /** Counted from 1, with the row of titles. */
  readonly firstRow: number;
  readonly onHeight: (height: number) => void;
}

/** Drawn once: when another page is loaded, this one is not compared again. */
function CompanyPage({ rows, columns, firstRow, onHeight }: CompanyPageProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  useLayoutEffect(() => onHeight(body.current!.offsetHeight));
  // The links of rows keep the filters, and change only the open company.
  const base = withQuery({ open: undefined });
  return useMemo(
    () => (
      <tbody ref={body}>
        {rows.map((company, at) => (
          <tr key={company.target} aria-rowindex={firstRow + at}>
            {columns.map(({ key, title, isNumber, cell }) => (
              <td key={key} class={isNumber ? "n" : ""} data-label={title}>
                {cell(company)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    ),
    [rows, base, firstRow, columns.map(({ key }) => key).join()],
  );
}
