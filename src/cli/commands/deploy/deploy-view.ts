import type { DeployReport, HostOutcome, HostReport } from "../../../ship/index.ts";
import type { Layout } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";

/** The table that is shown before anything changes. */
export function describePreflight(reports: readonly HostReport[]): string {
  const table = formatTable(
    reports,
    [
      { title: "host", value: ({ host }) => host, isKey: true },
      { title: "platform", value: ({ platform }) => platform ?? "-" },
      { title: "free", value: ({ freeBytes }) => (freeBytes === undefined ? "-" : `${Math.round(freeBytes / 1e6)} MB`) }, // prettier-ignore
      { title: "node", value: ({ node, release }) => (release?.hasNode ? "own" : (node ?? "-")) },
      { title: "clock", value: ({ clockMs }) => (clockMs === undefined ? "-" : clockMs === 0 ? "ok" : `${(clockMs / 1_000).toFixed(1)} s`) }, // prettier-ignore
      { title: "lock", value: ({ lock, isReachable }) => lock ?? (isReachable ? "free" : "-") },
      { title: "runs", value: ({ current }) => current ?? "-" },
      { title: "gets", value: ({ to }) => to ?? "-" },
    ],
    { widthMax: undefined, hasColor: false },
  );
  const problems = reports.flatMap(({ host, problems: found }) =>
    found.map((problem) => `${host}: ${problem}`),
  );
  return [table.trimEnd(), ...problems].join("\n");
}

const words: Readonly<Record<HostOutcome["outcome"], string>> = {
  confirmed: "runs the new release",
  rolled_back: "went back",
  unknown: "not reachable; rolls back automatically",
  same: "already had it",
  refused: "not changed",
  waiting: "not changed",
};

const summaries: Readonly<Record<DeployReport["outcome"], string>> = {
  done: "all hosts have the release",
  nothing: "nothing to do: all hosts have this release",
  planned: "dry run: nothing was changed",
  refused: "nothing was changed: solve the problems above first",
  failed: "the deployment was stopped: the table shows the release of each host",
};

/** The result for each host. */
export function describeReport({ outcome, hosts }: DeployReport, layout: Layout): string {
  const isPlan = outcome === "planned";
  const table = layout.table(hosts, [
    { title: "host", value: ({ host }) => host, isKey: true },
    { title: "from", value: ({ from }) => from ?? "-" },
    { title: "to", value: ({ to }) => to ?? "-" },
    { title: "result", value: (one) => (isPlan && one.outcome === "waiting" ? "would change" : words[one.outcome]) }, // prettier-ignore
    { title: "why", value: ({ why }) => why ?? "" },
  ]);
  const logs = hosts.flatMap(({ host, log = [] }) =>
    log.length === 0 ? [] : [`last lines of ${host}:`, ...log.map((line) => `  ${line}`)],
  );
  return [table.trimEnd(), ...logs, summaries[outcome]].join("\n");
}
