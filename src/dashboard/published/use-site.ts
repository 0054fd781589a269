import type { SiteManifest } from "../../publish/site-format.ts";
import { openPublished } from "../data/published.ts";
import { useResource } from "../data/resource.ts";

/** What is published here. Undefined until it is known. */
export function useSite(): SiteManifest | undefined {
  return useResource("site", async () => (await openPublished()).manifest).data;
}
