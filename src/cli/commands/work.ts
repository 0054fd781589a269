import { loadNodeParts } from "../../app/index.ts";
import { docsPage } from "../../base/docs-page.ts";
import { createMetrics, type MetricsSnapshot } from "../../base/metrics.ts";
import { readVersion } from "../../base/version.ts";
import { createPaths, createSettingsMarker, followSettings } from "../../config/index.ts";
import { createSupervisor } from "../../worker/index.ts";
import type { Command } from "../command.ts";
import { untilStopped } from "../until-stopped.ts";
import { createCrew } from "./work/crew.ts";
import { forkChild } from "./work/fork-child.ts";
import { observeNode } from "./work/observe-node.ts";
import { openWatchedQueue } from "./work/watched-queue.ts";
import { workOptions } from "./work/work-options.ts";

/** Beyond the time of grace, for storing how tasks ended. */
const stopMarginMs = 15_000;
/** For ever, as far as a machine is concerned. */
const stayMs = 1e12;

export const work: Command = {
  needs: "settings",
  keepsLog: true,
  options: workOptions,
  examples: [
    {
      line: "forager work --drain",
      summary: "discover, look up and visit what campaigns dispatched; then say how it went",
    },
    { line: "forager work --handlers handlers.mjs", summary: "and your own kinds, until Ctrl-C" },
    {
      line: "forager work --handlers handlers.mjs --processes 4 --concurrency 5-50",
      summary: "four processes, each with 5 to 50 tasks at once as the load has it",
    },
    {
      line: "forager work --handlers handlers.mjs --listen 127.0.0.1:9464",
      summary: "with metrics for Prometheus, and health for a service manager",
    },
  ],
  details: [
    "Built in are the kinds discover, details and enrich.",
    "A handler is an exported object { kind, run }. Which kinds, in how many processes and with how\n" +
      'many tasks at once is work.pools in the settings, such as "page+map=2x5-20 *=1x10". A changed\n' +
      "settings file is followed while it runs, at once on SIGHUP.",
    "Handlers read and write objects with services.bucket: those below handlers/ in the bucket of\n" +
      "bucket.url. Without that setting it is the folder `bucket` in the data folder.",
    "Where gossip.keys, gossip.peers or bucket.url is set, it keeps this node in touch with its\n" +
      "fleet as `forager node run` does.",
    "Ctrl-C or SIGTERM: starts nothing more, gives back what has not begun, waits work.graceMs for\n" +
      "the rest. A second one: gives all back at once. A process that dies or hangs is replaced.",
    "Exit code with --drain: 0 when every task was done or skipped, 3 when some failed (dead\n" +
      "letters: `forager queue list --state failed`).",
    "Exit code after SIGTERM: 0 when every process stopped in good order; 143 when one had to be\n" +
      "killed, after a second signal, and when --drain was ended early. After Ctrl-C: 130.",
    "Pages:\n" +
      `  ${docsPage("campaigns.md")}: the kinds discover and details\n` +
      `  ${docsPage("enrich.md")}: the kind enrich\n` +
      `  ${docsPage("worker.md")}: handlers of your own\n` +
      `  ${docsPage("guides/handler-bucket.md")}: handlers that fetch and store objects`,
  ],

  async run(context) {
    const { settings, loaded, out, clock, log, signal } = context;
    const metrics = createMetrics();
    const marker = createSettingsMarker(clock);
    const marks = await marker.read(loaded, { isAsked: true });
    await using queue = await openWatchedQueue(context);
    const supervisor = createSupervisor({
      posts: [],
      spawn: (_, { onMessage, onExit }) => {
        const child = { argv: process.argv.slice(2), isStdoutTaken: out.isJson, clock };
        const onChildExit: typeof onExit = (how, dead) => {
          // Before the supervisor replaces it: the next process would make a new, empty queue.
          queue.check();
          onExit(how, dead);
        };
        const events = { onMessage, onExit: onChildExit };
        return forkChild({ ...child, queue: queue.current() }, events);
      },
      watchdogMs: settings.work.watchdogMs,
      stopMs: settings.work.graceMs + stopMarginMs,
      clock,
      logger: log,
      metrics,
    });
    const watching = observeNode({ context, queue, supervisor, metrics, version: readVersion() });
    const crew = createCrew({ context, supervisor, settings, marks });
    const working = { ...crew, alerts: () => watching.alerts() };
    const { openNode } = await loadNodeParts();
    await using node = await openNode({ ...context, work: working });
    const following = followSettings({
      marks,
      marker,
      reload: context.reload,
      clock,
      logger: log,
      async apply(changed) {
        const { settings: changedTo } = changed.loaded;
        crew.setPlan({ settings: changedTo, marks: changed.marks });
        watching.follow(changed.loaded);
        if (changed.keys.includes("gossip.keys")) await node.follow(changedTo);
        if (!changed.keys.some((key) => key.startsWith("queue.") || key === "data")) return;
        await queue.follow({ settings: changedTo, paths: createPaths(changedTo.data) });
      },
    });
    // A node that is paused has no process and no timer of its own, and must not end by that.
    const staying = clock.setTimer(stayMs, () => {});
    try {
      await watching.start();
      await node.start();
      crew.begin();
      await supervisor.start();
      await Promise.race([
        supervisor.drained,
        crew.left,
        untilStopped(signal),
        node.gone,
        queue.gone,
      ]);
    } finally {
      staying.cancel();
      following.stop();
      await supervisor.stop();
      await watching.stop();
      await node.stop();
    }
    const ended = summarise(supervisor.metrics());
    const text = `${ended.done} done, ${ended.skipped} skipped, ${ended.retried} tried again, ${ended.failed} failed`;
    out.result(ended, text);
    if (context.flags["drain"] !== true) return supervisor.isOrderly() ? "stopped" : undefined;
    // A drain that was ended early has not done what it was asked to do: its signal decides.
    return ended.failed > 0 && !signal.aborted ? "partial" : undefined;
  },
};

/** Attempts by how they ended, over all kinds and processes. */
function summarise(snapshot: MetricsSnapshot) {
  const family = snapshot.find(({ name }) => name === "forager_tasks_ended_total");
  const of = (end: string) =>
    (family?.series ?? [])
      .filter(({ values }) => values[1] === end)
      .reduce((sum, { value }) => sum + value, 0);
  return {
    done: of("done"),
    skipped: of("skipped"),
    retried: of("retried"),
    failed: of("failed"),
    released: of("released"),
    lost: of("lost"),
  };
}
