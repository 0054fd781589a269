import { isPartial, openWork, type WorkOptions } from "../../../app/index.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { untilStopped } from "../../frame/until-stopped.ts";
import { outcomeText } from "../../frame/outcome-text.ts";
import { followWork } from "../../terminal/work-line.ts";
import { workOptions, workOptionsOf } from "../../options/work-options.ts";

export const work: Command = {
  needs: "settings",
  keepsLog: true,
  options: [
    ...workOptions,
    {
      flag: "--kinds",
      value: "kinds",
      summary: "only these kinds, separated by commas",
      isRepeated: true,
    },
    { flag: "--drain", summary: "exit when no tasks are left" },
  ],
  examples: [
    {
      line: "forager work --drain",
      summary: "run all tasks of campaigns, then print a summary",
    },
    { line: "forager work --handlers handlers.mjs", summary: "and your own kinds, until Ctrl-C" },
    {
      line: "forager work --handlers handlers.mjs --processes 4 --concurrency 5-50",
      summary: "four processes, each with 5 to 50 concurrent tasks depending on the load",
    },
    {
      line: "forager work --handlers handlers.mjs --listen 127.0.0.1:9464",
      summary: "with metrics for Prometheus, and health for a service manager",
    },
  ],
  details: [
    "Built in are the kinds discover, details, enrich, resolve and dispatch.",
    "A handler is an exported object { kind, run }. The setting work.pools defines kinds, processes and\n" +
      'concurrent tasks, such as "page+map=2x5-20 *=1x10". A changed\n' +
      "settings file is applied while it runs, at once on SIGHUP.",
    "Handlers read and write objects with services.bucket: those below handlers/ in the bucket of\n" +
      "bucket.url. Without that setting it is the folder `bucket` in the data folder.",
    "If no other process owns the data folder, it also runs gossip and bucket sync for the node.\n" +
      "`forager up` is the command for a machine that stays on.",
    "Ctrl-C or SIGTERM: starts no more tasks, releases those that have not begun, waits work.graceMs for\n" +
      "the others. A second one: releases all at once. A process that dies or hangs is replaced.",
    "--drain does not wait for webhook deliveries that failed and wait for their next attempt.",
    "Exit code with --drain: 0 if every task was done or skipped, 3 if some failed (dead\n" +
      "letters: `forager queue list --state failed`), some are left that no worker here can run, no\n" +
      "website of a job could be read, the fleet has paused or drained this node, a budget stopped a\n" +
      "campaign, or a job with tasks left is paused. A job pauses automatically if none of its first 20\n" +
      "websites could be read, all for the same reason. `forager queue resume JOB` resumes it.",
    "Exit code after SIGTERM: 0 if every process stopped in good order, even if tasks failed,\n" +
      "which the summary and `forager status` report: a stopped service has not failed. 143 if\n" +
      "one had to be killed, after a second signal, or if --drain was ended early. After Ctrl-C: 130.",
    "Pages:\n" +
      `  ${docsPage("campaigns.md")}: the kinds discover and details\n` +
      `  ${docsPage("enrich.md")}: the kind enrich\n` +
      `  ${docsPage("guides/write-a-handler.md")}: your own handlers\n` +
      `  ${docsPage("guides/handler-bucket.md")}: handlers that fetch and store objects`,
  ],

  async run(context) {
    const { flags, out, signal } = context;
    await using work = await openWork(optionsOf(context));
    const line = followWork(work, context);
    try {
      await work.start();
      await Promise.race([work.ended, untilStopped(signal)]);
    } finally {
      await work.stop();
      line.stop();
    }
    const ended = await work.outcome();
    out.result(ended, outcomeText(ended));
    if (flags["drain"] !== true) return work.isOrderly() ? "stopped" : undefined;
    // If --drain was interrupted, the signal decides the exit code.
    return isPartial(ended) && !signal.aborted ? "partial" : undefined;
  },
};

function optionsOf(context: SettingsContext): WorkOptions {
  return {
    ...workOptionsOf(context),
    onListening: ({ url, tokenFile }) =>
      context.out.note(`metrics and health on ${url}; /metrics takes the token in ${tokenFile}`),
  };
}
