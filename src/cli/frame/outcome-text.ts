import { isNothingRead, jobTroubleTexts, visitText, type WorkOutcome } from "../../app/index.ts";
import { sitePageKind } from "../../site-crawl/index.ts";
import { countOf, countTasks } from "../../base/text/count-words.ts";

/** More reasons would be hard to read. */
const reasonsMax = 5;

/** Summarizes the work in a few lines: tasks, visits by outcome, and the reasons of failures. */
export function outcomeText(ended: WorkOutcome): string {
  const { done, skipped, retried, failed, failures, visits } = ended;
  const { undone, held, paused, stopped, unread, deliveriesLeft = 0 } = ended;
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
          `node ${held.node} is ${held.state} and runs no tasks (revision ${held.revision}: forager fleet show)`,
          `resume it with: forager fleet set ${held.node} resume`,
        ]
      : []),
    // With a single job, the line of all visits has the same content.
    ...jobTroubleTexts({
      paused,
      unread: unread.length < 2 && isNothingRead(visits) ? [] : unread,
    }),
    ...stopped.map(({ campaign, text }) => `campaign ${campaign}: ${text}`),
    ...(deliveriesLeft > 0
      ? [`${countOf(deliveriesLeft, "webhook delivery waits", "webhook deliveries wait")} for a later \`forager work\` or \`forager up\`: forager webhook deliveries`] // prettier-ignore
      : []),
  ].join("\n");
}

const undoneText = ({ kind, count, why, reason }: WorkOutcome["undone"][number]): string =>
  kind === sitePageKind
    ? `${countTasks(count)} of kind ${kind} left: continue with: forager crawl --resume`
    : why === "no_handler"
      ? `${countTasks(count)} of kind ${kind} left: no handler for it here (--handlers FILE)`
      : why === "unwanted"
        ? `${countTasks(count)} of kind ${kind} left: the fleet has set workers.${kind}=0 for this node (forager fleet show)`
        : `${countTasks(count)} of kind ${kind} left: ${reason ?? "this node lacks something, see the warnings above"}`;
