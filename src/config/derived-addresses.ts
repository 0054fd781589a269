import type { Accepted } from "./accept.ts";

/**
 * Queue and bucket default to each other, so that machines which share one also share the other:
 * - `queue.url` is not set: the queue is on the bucket of `bucket.url`;
 * - `bucket.url` is not set: a PostgreSQL database of `queue.url` is the bucket too.
 * The source of a derived value names the setting that it comes from.
 */
export function deriveAddresses(merged: Map<string, Accepted>): void {
  const [queue, bucket] = [merged.get("queue.url")!, merged.get("bucket.url")!];
  if (queue.source === "default" && bucket.value !== undefined) {
    derive(merged, { from: "bucket", to: "queue", dropped: ["table"] });
  } else if (bucket.value === undefined && isPostgres(queue.value)) {
    derive(merged, { from: "queue", to: "bucket", dropped: ["schema", "lazy"] });
  }
}

const isPostgres = (value: unknown): boolean =>
  typeof value === "string" && /^postgres(?:ql)?:\/\//.test(value);

interface Derivation {
  readonly from: "queue" | "bucket";
  readonly to: "queue" | "bucket";
  /** Query parameters that are not valid for the derived address. */
  readonly dropped: readonly string[];
}

function derive(merged: Map<string, Accepted>, { from, to, dropped }: Derivation): void {
  const url = merged.get(`${from}.url`)!;
  const source = `${from}.url`;
  const without = (text: unknown) => withoutParameters(String(text), dropped);
  merged.set(`${to}.url`, { value: without(url.value), display: without(url.display), source });
  const [password, own] = [merged.get(`${from}.password`)!, merged.get(`${to}.password`)!];
  if (password.value !== undefined && own.value === undefined) {
    merged.set(`${to}.password`, { ...password, source: `${from}.password` });
  }
}

function withoutParameters(url: string, names: readonly string[]): string {
  const [address = "", query] = url.split("?", 2);
  if (!isPostgres(url) || query === undefined) return url;
  const kept = query.split("&").filter((pair) => !names.includes(pair.split("=", 1)[0]!));
  return kept.length === 0 ? address : `${address}?${kept.join("&")}`;
}
