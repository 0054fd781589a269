import type { Bucket } from "../../bucket/index.ts";

/** The operations of a bucket that publishing needs. */
export type SiteStore = Pick<
  Bucket,
  "get" | "put" | "putIfAbsent" | "putIfMatch" | "delete" | "list"
>;
