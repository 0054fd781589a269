/** The pages that the crawl benches fetch: the same for every side. */
export interface SiteShape {
  /** Pages of one host. */
  readonly pages: number;
  readonly links: number;
  readonly bytes: number;
}

/** "/" is page 0. Each page links on, so that all are found from the first. */
export function pageHtml({ pages, links, bytes }: SiteShape, number: number): string {
  const targets = Array.from({ length: links }, (_, at) => (number * links + at + 1) % pages);
  const list = targets.map((to) => `<li><a href="/p/${to}">Page ${to}</a></li>`).join("\n");
  const head = `<!doctype html><html lang="en"><head><title>Page ${number}</title></head><body><ul>${list}</ul>`;
  const filler = "<p>We sand, oil and lay floors of oak and ash in all the county.</p>\n";
  return `${head}${filler.repeat(Math.max(1, Math.round((bytes - head.length) / filler.length)))}</body></html>`;
}

export const pageNumber = (path: string): number =>
  path === "/" ? 0 : Number(/^\/p\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
