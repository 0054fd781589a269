import type { SiteManifest } from "../../publish/site-format.ts";
import { openPublished } from "../data/published.ts";
import { useResource } from "../data/resource.ts";

/** The contents of this site. Undefined until they are loaded. */
export function useSite(): SiteManifest | undefined {
  return useResource("site", async () => (await openPublished()).manifest).data;
}
