import type { AnswerOf } from "../data/api.ts";
import type { ChartSpec } from "./chart-list.ts";

/** One line per time; an unknown value is empty. */
export function csvOf(
  { times, series }: Pick<AnswerOf<"GET", "/api/history">, "times" | "series">,
  spec: Pick<ChartSpec, "series">,
): string {
  const names = spec.series.map(({ name }) => name).filter((name) => name in series);
  const rows = times.map((atMs, at) =>
    [new Date(atMs).toISOString(), ...names.map((name) => series[name]![at] ?? "")].join(","),
  );
  return [["time", ...names].join(","), ...rows, ""].join("\r\n");
}

/** Saves text as a file on the user's computer. */
export function downloadCsv(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
