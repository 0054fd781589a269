import type { QueueStats, ReasonStats } from "../../queue/index.ts";
import { formatTable } from "../table.ts";
import type { HostVerdict } from "./judge.ts";
import type { DemoResult } from "./run-demo.ts";

const asText = { hasColor: false };

export function formatReasons({ reasons }: QueueStats): string {
  const rows = reasons.filter(({ count }) => count > 0);
  return formatTable<ReasonStats>(
    rows,
    [
      { title: "why tasks wait now", value: ({ reason }) => reason },
      { title: "tasks", value: ({ count }) => count },
      { title: "share", value: ({ share }) => `${Math.round(share * 100)}%` },
      { title: "oldest", value: ({ oldestAgeMs }) => `${(oldestAgeMs / 1_000).toFixed(1)}s` },
    ],
    asText,
  );
}

/** What a person should know after the demo, and what to do next. */
export function formatReport(result: DemoResult, nextLines: readonly string[]): string {
  const { tasks, elapsedMs, workers, killed, reasons, verdict } = result;
  const seconds = elapsedMs / 1_000;
  const isKept = (kept: boolean) => (kept ? "yes" : "NO");
  const takers = [...new Set(verdict.takenOver.map(({ by }) => by))];
  const { completions, cap, deadLetters } = verdict;
  const lines = [
    `${verdict.done} of ${tasks} tasks done, ${deadLetters.length} dead letter, in ` +
      `${seconds.toFixed(1)} s by ${workers.length} processes (${(tasks / seconds).toFixed(0)}/s)`,
    "",
    formatTable<HostVerdict>(
      verdict.hosts,
      [
        { title: "gate", value: ({ host }) => host },
        { title: "delay", value: ({ delayMs }) => `${delayMs} ms` },
        { title: "limit", value: ({ limit }) => limit },
        { title: "visits", value: ({ visits }) => visits },
        { title: "shortest gap", value: ({ gapMsMin }) => `${gapMsMin?.toFixed(1) ?? "-"} ms` },
        { title: "most at once", value: ({ atOnceMax }) => atOnceMax },
        { title: "kept", value: (host) => isKept(host.isKept) },
      ],
      asText,
    ),
    "",
    `exactly once   ${isKept(completions.wrong.length === 0)}: ${completions.once} completions in ` +
      "the workers' own logs, none missing, none twice",
    ...completions.wrong.slice(0, 10).map((words) => `               ${words}`),
    `killed         ${killed}, with -9; its ${verdict.takenOver.length} tasks were taken over by ` +
      (takers.join(" and ") || "nobody"),
    `priorities     urgent pages went first: ${isKept(verdict.urgentFirst)}`,
    `jobs           at most ${cap.atOnceMax} of ${cap.job} at once (cap ${cap.limit}); the paused one ` +
      `waited: ${isKept(verdict.pausedJobKept)}; each ended once: ${isKept(verdict.jobsCompletedOnce)}`,
    `retries        ${verdict.retried} tasks failed at first; dead letter: ` +
      deadLetters.map(({ key, reasons: all }) => `${key} after ${all.length} attempts`).join(", "),
    `waited for     ${Object.entries(reasons)
      .map(([reason, count]) => `${reason} ${count}`)
      .join(", ")}`,
    `counters       ${verdict.drift === 0 ? "equal to a recount of all tasks" : "HAVE DRIFTED"}`,
    "",
    "next:",
    ...nextLines.map((line) => `  ${line}`),
  ];
  return lines.join("\n");
}
