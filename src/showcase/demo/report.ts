import { countOf, formatCount } from "../../base/text/count-words.ts";
import type { Verdict } from "./judge-demo.ts";
import type { Score } from "../fake-web/expected-data.ts";
import type { DemoResult } from "./run-demo.ts";

const linesMax = 5;
const lineCharsMax = 160;
const recordLinesMax = 24;

/** The results of the demo for people, and what to do next. */
export function formatReport(result: DemoResult, nextLines: readonly string[]): string {
  const { verdict, elapsedMs, requests, visits, contacts, reasons, record } = result;
  const { targets, places, politeness } = verdict;
  const seconds = elapsedMs / 1_000;
  const { emails, phones, socials, people } = contacts;
  const lines = [
    `${result.tiles} tiles × ${result.phrases} phrases: ${targets.witnessed} of ${targets.all} targets searched, ` +
      `${places.found} of ${places.all} places found, in ${seconds.toFixed(1)} s by ${countOf(result.replicas.length, "node")}`,
    "",
    `visits      ${countsOf(visits)}`,
    `pages       ${formatCount(requests)} requests, ${(requests / seconds).toFixed(1)}/s`,
    `contacts    ${formatCount(emails)} emails, ${formatCount(phones)} phones, ${formatCount(socials)} profiles, ${formatCount(people)} people`,
    `emails      ${scoreText(verdict.emails)}`,
    `phones      ${scoreText(verdict.phones)}`,
    `profiles    ${scoreText(verdict.socials)}`,
    `polite      ${politeText(politeness)}`,
    `robots.txt  ${verdict.forbidden.length === 0 ? "nothing was fetched that it forbids" : `BROKEN: ${listed(verdict.forbidden)}`}`,
    `waited for  ${countsOf(reasons) || "nothing"}`,
    ...(verdict.failed > 0 ? [`failed      ${countOf(verdict.failed, "task")}`] : []),
    "",
    ...fleetLines(result),
    ...(record
      ? ["", record.file, ...indented(record.text.trimEnd().split("\n"), recordLinesMax)]
      : []),
    ...(record ? ["", record.journal, ...indented(record.lines, linesMax)] : []),
    "",
    `${result.csv}: ${countOf(result.rows, "line")}, one for each company`,
    "",
    verdict.isGood ? "Result: PASS" : "Result: FAIL",
    "",
    "next:",
    ...nextLines.map((line) => `  ${line}`),
  ];
  return lines.join("\n");
}

/** Which node died, which nodes took over which tasks, and that nothing was lost. */
function fleetLines({ killed, takeOvers, replicas, verdict, cluster }: DemoResult) {
  const lines: string[] = [];
  if (killed) {
    const { name, pid, visited } = killed;
    lines.push(
      `${name} was killed (kill -9 ${pid}) after ${countOf(visited, "visit")}, while it held ${countOf(takeOvers.length, "lease")}:`,
    );
    for (const by of new Set(takeOvers.map((one) => one.by))) {
      const own = takeOvers.filter((one) => one.by === by);
      const tasks = listed(own.map(({ task }) => task));
      const soonest = Math.min(...own.map(({ afterMs = 0 }) => afterMs));
      lines.push(
        by === undefined
          ? `  NO NODE took over ${own.length}: ${tasks}`
          : `  ${by} took over ${own.length}, the first after ${(soonest / 1_000).toFixed(1)} s: ${tasks}`,
      );
    }
    lines.push(`then it was started again and caught up`);
  }
  lines.push("", verdict.isEqual ? "all replicas are equal:" : "the replicas are NOT EQUAL:");
  for (const { name, node, wrote, knows, digest } of replicas) {
    lines.push(
      `  ${name}  ${node}  ${formatCount(wrote)} changes written, ${formatCount(knows)} replicated  ${digest.slice(0, 16)}…`,
    );
  }
  if (cluster !== undefined) lines.push("", "forager status --cluster", ...cluster.split("\n").map((line) => `  ${line}`.trimEnd())); // prettier-ignore
  return lines;
}

const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${formatCount(count)} ${name}`)
    .join(", ");

function scoreText({ recall, precision, missed, wrong }: Score): string {
  const parts = [
    ...(missed.length > 0 ? [`missed ${listed(missed)}`] : []),
    ...(wrong.length > 0 ? [`wrong ${listed(wrong)}`] : []),
  ];
  return `recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}${parts.length > 0 ? ` (${parts.join("; ")})` : ""}`;
}

function politeText(politeness: Verdict["politeness"]): string {
  const { hosts, gapMsMin, delayMs, slowGapMsMin, slowDelayMs, early } = politeness;
  const ms = (value: number | undefined) => (value === undefined ? "-" : `${value.toFixed(0)} ms`);
  const slow =
    slowGapMsMin === undefined
      ? ""
      : `, ${ms(slowGapMsMin)} at hosts that ask for ${slowDelayMs} ms`;
  const words = `${hosts} hosts, shortest interval ${ms(gapMsMin)} (minimum ${delayMs} ms), measured at the server${slow}`;
  return early.length === 0 ? words : `BROKEN: ${words}: ${listed(early)}`;
}

const listed = (all: readonly string[]) =>
  all.slice(0, 3).join(", ") + (all.length > 3 ? ` and ${all.length - 3} more` : "");

function indented(all: readonly string[], max: number): readonly string[] {
  const shown = all.slice(0, max).map((line) => {
    const text = line.length > lineCharsMax ? `${line.slice(0, lineCharsMax)}…` : line;
    return `  ${text}`.trimEnd();
  });
  return all.length > max ? [...shown, `  … ${all.length - max} more lines`] : shown;
}
