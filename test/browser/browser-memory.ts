import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { startSiteServer } from "../../src/crawl/testing/site-server.ts";
import { openBrowserFetcher } from "./open-browser-fetcher.ts";
import { ownBrowserMb } from "./own-browser.ts";

/** Renders pages that take their share of memory, four at a time, and returns how much stayed. */
export async function growthMbOverTasks(tasks: number): Promise<number> {
  const page = `<p>x</p><script>window.kept = Array.from({ length: 100000 }, (_, i) => ({ i }));
    document.body.append("rendered " + kept.length);</script>`;
  await using site = await startSiteServer({ pages: { "/": page } });
  // Its pages are done when they are loaded.
  await using fetcher = await openBrowserFetcher({ settleMs: 1 });
  const renderMany = async (count: number) => {
    let left = count;
    const hand = async () => {
      while (left-- > 0) {
        const found = await fetcher.fetch({ url: `${site.origin}/` });
        expect(found.kind).toBe("found");
      }
    };
    await Promise.all([hand(), hand(), hand(), hand()]);
  };
  await renderMany(8); // what a browser takes once, it takes now
  const beforeMb = await restingMb();
  await renderMany(tasks);
  return (await restingMb()) - beforeMb;
}

/**
 * The lowest of many readings, taken until none was lower for a second. The process of a context that
 * was closed ends a little later, on a busy machine much later; one that was not closed never does.
 */
async function restingMb(): Promise<number> {
  let lowestMb = Infinity;
  for (let steady = 0, readings = 0; steady < 10 && readings < 150; steady++, readings++) {
    const nowMb = ownBrowserMb();
    if (nowMb < lowestMb - 0.5) steady = 0;
    lowestMb = Math.min(lowestMb, nowMb);
    await sleep(100);
  }
  return lowestMb;
}
