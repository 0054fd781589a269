import type { MetricsSnapshot } from "../base/metrics.ts";
import { prometheusContentType, toPrometheusText } from "./prometheus-text.ts";

/** What a process says of itself to monitoring. */
export interface HealthSource {
  readonly metrics: () => MetricsSnapshot | Promise<MetricsSnapshot>;
  /** Why it is not consuming; nothing when it is, or has nothing to consume. */
  readonly troubles: () => readonly string[];
  /** Why it cannot work yet; nothing when it can. */
  readonly unready: () => readonly string[];
}

export interface HealthAnswer {
  readonly status: 200 | 401 | 503;
  readonly type: string;
  readonly body: string;
}

export const healthPaths = ["/metrics", "/healthz", "/readyz"] as const;
export type HealthPath = (typeof healthPaths)[number];

/**
 * The answers of /metrics, /healthz and /readyz, on whichever port they are served. Everybody is told
 * whether the node is well, since health probes rarely hold a secret. Data, and why the node is not
 * well, take a secret.
 */
export async function answerHealth(
  path: HealthPath,
  source: HealthSource,
  isTrusted: boolean,
): Promise<HealthAnswer> {
  if (path === "/healthz") return verdict(source.troubles(), isTrusted);
  if (path === "/readyz") return verdict(source.unready(), isTrusted);
  if (!isTrusted) {
    return { status: 401, type: "text/plain", body: "the token is missing or wrong\n" };
  }
  const body = toPrometheusText(await source.metrics());
  return { status: 200, type: prometheusContentType, body };
}

function verdict(troubles: readonly string[], isTrusted: boolean): HealthAnswer {
  const isGood = troubles.length === 0;
  return {
    status: isGood ? 200 : 503,
    type: "application/json",
    body: `${JSON.stringify({ ok: isGood, ...(isTrusted && { troubles }) })}\n`,
  };
}
