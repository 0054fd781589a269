import { expect } from "vitest";
import { startSiteServer } from "../../src/crawl/testing/site-server.ts";
import { openBrowserFetcher } from "./open-browser-fetcher.ts";
import { ownBrowserMb } from "./own-browser.ts";

/** Renders pages that take their share of memory, four at a time, and returns how much stayed. */
export async function growthOverTasks(tasks: number): Promise<number> {
  const page = `<p>x</p><script>window.kept = Array.from({ length: 100000 }, (_, i) => ({ i }));
    document.body.append("rendered " + kept.length);</script>`;
  await using site = await startSiteServer({ pages: { "/": page } });
  await using fetcher = await openBrowserFetcher();
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
  const before = ownBrowserMb();
  await renderMany(tasks);
  return ownBrowserMb() - before;
}
