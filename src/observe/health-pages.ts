import type { MetricsSnapshot } from "../base/metrics.ts";
import { prometheusContentType, toPrometheusText } from "./prometheus-text.ts";

/** What a process reports to monitoring. */
export interface HealthSource {
  readonly metrics: () => MetricsSnapshot | Promise<MetricsSnapshot>;
  /** Why it is not consuming; empty if it is, or has nothing to consume. */
  readonly troubles: () => readonly string[];
  /** Why it cannot work yet; empty if it can. */
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
 * The responses of /metrics, /healthz and /readyz, independent of the port they are served on. Anybody
 * may see whether the node is healthy, because health probes rarely hold a secret. Metrics, and the
 * reasons why a node is not healthy, need the secret.
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
    type: "application/json; charset=utf-8",
    body: `${JSON.stringify({ ok: isGood, ...(isTrusted && { troubles }) })}\n`,
  };
}
