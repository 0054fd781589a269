import type { FamilySnapshot, MetricsSnapshot, SeriesSnapshot } from "../base/metrics.ts";

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

export function toPrometheusText(snapshot: MetricsSnapshot): string {
  return snapshot
    .filter(({ series }) => series.length > 0)
    .map((family) => {
      const lines = family.series.flatMap((one) => linesOf(family, one));
      const { name, help, type } = family;
      return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`;
    })
    .join("");
}

function linesOf({ name, labels, bounds }: FamilySnapshot, series: SeriesSnapshot): string[] {
  const own = labels.map((label, at) => `${label}="${escapeLabel(series.values[at] ?? "")}"`);
  const line = (suffix: string, value: number, more: readonly string[] = []) => {
    const all = [...own, ...more];
    return `${name}${suffix}${all.length > 0 ? `{${all.join(",")}}` : ""} ${formatValue(value)}`;
  };
  if (!series.buckets) return [line("", series.value)];
  let below = 0;
  const buckets = series.buckets.map((count, at) => {
    below += count;
    const bound = bounds?.[at];
    return line("_bucket", below, [`le="${bound === undefined ? "+Inf" : bound}"`]);
  });
  return [...buckets, line("_sum", series.value), line("_count", below)];
}

const escapeHelp = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
const formatValue = (value: number) =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value);
