import type { LoadedSettings } from "../../config/index.ts";
import type { PreflightFinding } from "./preflight.ts";

/** A fleet with a bucket does not share work if each node has its own queue. */
export function sharedQueueFinding({
  settings,
  values,
}: LoadedSettings): PreflightFinding | undefined {
  const { bucket, queue } = settings;
  if (bucket.url === undefined || !queue.url.startsWith("sqlite:")) return undefined;
  const source = values.find(({ key }) => key === "queue.url")?.source ?? "";
  return {
    check: "queue",
    state: "warn",
    detail: `queue.url is a file of this machine (${source}): other nodes of the fleet share no work with it`,
    advice: "remove queue.url, so that tasks are on the bucket, if other machines should help",
  };
}
