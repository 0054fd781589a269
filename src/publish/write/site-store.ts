import type { Bucket } from "../../bucket/index.ts";

/** What a site needs of a bucket. */
export type SiteStore = Pick<
  Bucket,
  "get" | "put" | "putIfAbsent" | "putIfMatch" | "delete" | "list"
>;
