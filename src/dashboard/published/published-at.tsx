import { timeOf } from "../data/format.ts";
import { Ago } from "../parts/text.tsx";
import { useSite } from "./use-site.ts";

/** Where a server's page says that it is live. */
export function PublishedAt() {
  const site = useSite();
  return (
    <span class="dim published-at">
      {site && (
        <>
          published <Ago atMs={timeOf(site.at)} />
        </>
      )}
    </span>
  );
}
