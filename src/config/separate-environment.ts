import { isAbsolute } from "node:path";
import type { Accepted } from "./accept.ts";
import { environmentFolder } from "./paths.ts";

/**
 * Gives an environment its own storage, so that one setting is enough to separate environments: a
 * folder inside the data folder and, next to the default queue and bucket, a folder, schema or
 * table of its own. Relative addresses are inside the data folder and need no change.
 */
export function separateEnvironment(merged: Map<string, Accepted>): void {
  const environment = merged.get("environment")?.value;
  if (typeof environment !== "string") return;
  const change = (key: string, map: (text: string) => string) => {
    const found = merged.get(key)!;
    if (typeof found.value !== "string") return;
    merged.set(key, { ...found, value: map(found.value), display: map(found.display) });
  };
  change("data", (folder) => environmentFolder(folder, environment));
  change("queue.url", (url) =>
    separate(url, { environment, parameter: "schema", name: "forager" }),
  );
  const bucket = { environment, parameter: "table", name: "forager_bucket" };
  change("bucket.url", (url) => separate(url, bucket));
}

interface Separation {
  readonly environment: string;
  /**
   * For a PostgreSQL address: the query parameter that names the place inside the database, and its
   * default.
   */
  readonly parameter: string;
  readonly name: string;
}

function separate(url: string, { environment, parameter, name }: Separation): string {
  const [address = "", query] = url.split(/\?(.*)/s, 2);
  const rest = query === undefined ? "" : `?${query}`;
  if (/^postgres(?:ql)?:/.test(url)) {
    const pairs = (query ?? "").split("&").filter((pair) => pair !== "");
    const own = pairs.find((pair) => pair.startsWith(`${parameter}=`));
    const others = pairs.filter((pair) => pair !== own);
    const named = `${own ?? `${parameter}=${name}`}_${environment}`;
    return `${address}?${[...others, named].join("&")}`;
  }
  if (address.startsWith("s3:")) {
    return `${address.replace(/\/$/, "")}/environments/${environment}${rest}`;
  }
  const [, scheme = "", path = ""] = /^(\w+:)(.*)$/s.exec(address) ?? [];
  if (!isAbsolute(path)) return url;
  if (scheme === "dir:") return `${scheme}${environmentFolder(path, environment)}${rest}`;
  return `${address.replace(/(\.\w+)?$/, (extension) => `-${environment}${extension}`)}${rest}`;
}
