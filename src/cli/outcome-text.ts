import type { WorkOutcome } from "../app/index.ts";
import { countTasks } from "../base/count-words.ts";

/** As many reasons as one takes in at a glance. */
const reasonsMax = 5;

/** What came of some work, in a few lines: tasks, visits by outcome, and why what failed has failed. */
export function outcomeText(ended: WorkOutcome): string {
  const { done, skipped, retried, failed, failures, visits, undone, held, paused } = ended;
  return [
    `${done} done, ${skipped} skipped, ${retried} retried, ${failed} failed`,
    ...(visits.length > 0 ? [`visits: ${visitText(visits)}`] : []),
    ...failures
      .slice(0, reasonsMax)
      .map(({ kind, reason, count }) => `failed: ${count} ${kind}: ${reason}`),
    ...(failed > 0 ? ["see them all: forager queue list --state failed"] : []),
    ...undone.map(undoneText),
    ...(held
      ? [
          `node ${held.node} is ${held.state} and does no tasks (revision ${held.revision}: forager fleet show)`,
          `let it work again with: forager fleet set ${held.node} resume`,
        ]
      : []),
    ...paused.flatMap(({ job, text }) => [
      `paused job ${job}: ${text}`,
      `go on with: forager queue resume ${job}`,
    ]),
  ].join("\n");
}

const undoneText = ({ kind, count, why }: WorkOutcome["undone"][number]): string =>
  why === "no_handler"
    ? `${countTasks(count)} of kind ${kind} left: no handler for it here (--handlers FILE)`
    : `${countTasks(count)} of kind ${kind} left: this node lacks something, see the warnings above`;

/** What to look at when visits end so. */
const settingOf: Readonly<Record<string, string>> = {
  private_address: ": see crawl.allowPrivateNetworks",
};

/** `12 done, 30 unreachable (20 private_address, 10 dns)` */
function visitText(visits: WorkOutcome["visits"]): string {
  const outcomes = [...new Set(visits.map(({ outcome }) => outcome))];
  return outcomes
    .map((outcome) => {
      const ofIt = visits.filter((one) => one.outcome === outcome);
      const sum = ofIt.reduce((total, { count }) => total + count, 0);
      const reasons = ofIt
        .filter(({ reason }) => reason !== "" && reason !== outcome)
        .slice(0, reasonsMax)
        .map(({ reason, count }) => `${count} ${reason}${settingOf[reason] ?? ""}`);
      return `${sum} ${outcome}${reasons.length > 0 ? ` (${reasons.join(", ")})` : ""}`;
    })
    .join(", ");
}
