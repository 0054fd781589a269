import { openExistingQueue, openQueueToRead } from "../../../app/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Queue } from "../../../queue/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { goesOnAfter } from "../../frame/until-stopped.ts";
import { describeStats, describeStatsInLine, type StatsView } from "./parts/stats-view.ts";

export const queueStats: Command = {
  needs: "settings",
  options: [
    { flag: "--watch", summary: "repeat until Ctrl-C" },
    {
      flag: "--every",
      value: "time",
      summary: "the interval (default: 1s; 5s without a terminal)",
    },
  ],
  examples: [
    { line: "forager queue stats", summary: "tasks by state, and what they wait for" },
    { line: "forager queue stats --watch", summary: "update it every second" },
    {
      line: "forager queue stats --watch --json --every 10s",
      summary: "a JSON document per line, every ten seconds",
    },
  ],
  details: [
    "The cost depends on the number of kinds, jobs and gates, not on that of tasks. Waits are of\n" +
      "tasks that were claimed, and within 5 %. The oldest is counted since it was added.",
    "--watch redraws a terminal; elsewhere it prints a line each time. It ends with Ctrl-C (exit\n" +
      "code 130), with SIGTERM (0), or when its output is closed.",
  ],

  async run(context) {
    const { flags, out } = context;
    const every = textFlag(flags, "every");
    const isWatching = flags["watch"] === true;
    if (every !== undefined && !isWatching)
      throw usageError("--every can only be used with --watch");
    const everyMs = parseDuration("every", every ?? (out.isTerminal ? "1s" : "5s"));
    if (everyMs < 100) throw usageError(`--every takes at least 100ms, not '${every}'`);

    await using queue = await (isWatching ? openExistingQueue : openQueueToRead)(context);
    if (isWatching) return await watch(queue, context, everyMs);
    const view = await read(queue);
    out.result(toValue(view), (layout) => describeStats(view, layout));
  },
};

async function watch(queue: Queue, context: SettingsContext, everyMs: number): Promise<"stopped"> {
  const { out, clock, signal } = context;
  do {
    const view = await read(queue);
    out.frame(toValue(view), {
      screen: (layout) => describeStats(view, layout),
      line: () => describeStatsInLine(view, clock.nowMs()),
    });
  } while (await goesOnAfter(clock, everyMs, signal));
  return "stopped";
}

async function read(queue: Queue): Promise<StatsView> {
  const [stats, jobs] = await Promise.all([queue.stats(), queue.jobs()]);
  return { stats, jobs };
}

const toValue = ({ stats, jobs }: StatsView) => ({ ...stats, jobs: { ...stats.jobs, list: jobs } });
