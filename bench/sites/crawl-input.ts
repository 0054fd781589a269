import type { SiteShape } from "./site-pages.ts";

/** What a crawl side is to do, ours and the peer's alike. */
export interface CrawlInput {
  readonly shape: SiteShape;
  readonly hosts: number;
  /** Between requests to one host; 0 is as fast as it can. */
  readonly delayMs: number;
  readonly concurrency: number;
}

export interface CrawlMeasured {
  readonly pages: number;
  readonly cpuS: number;
  readonly early: number;
  readonly gapMsMin: number;
}

/** Processor time of this process from here on, in seconds. */
export function startCpu(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
}
