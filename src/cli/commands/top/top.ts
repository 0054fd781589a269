import { openExistingQueue } from "../../../app/index.ts";
import { readKeptLog } from "../../../base/log/kept-log.ts";
import { usageError } from "../../../base/usage-error.ts";
import { readHeartbeats } from "../../../observe/index.ts";
import type { Queue, QueueStats } from "../../../queue/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { goesOnAfter } from "../../frame/until-stopped.ts";
import { openKeys } from "./keys.ts";
import type { ViewName } from "./top-state.ts";
import { describeTop, describeTopInLine, type TopView } from "./top-view.ts";
import { watchWithKeys } from "./watch-with-keys.ts";

const ratesKept = 60;
/** Log lines to show. */
const linesMax = 1_000;

export const top: Command = {
  needs: "settings",
  options: [
    {
      flag: "--every",
      value: "time",
      summary: "the interval (default: 1s; 5s without a terminal)",
    },
  ],
  examples: [
    { line: "forager top", summary: "show queue, throughput, workers and gates" },
    { line: "forager top --every 10s >> top.log", summary: "print a line every ten seconds" },
    { line: "forager top --json | head -1", summary: "the data once, as JSON" },
  ],
  details: [
    "On a terminal: 1-5 or tab for another view (queue, waiting, workers, gates, log), / for a filter,\n" +
      "< and > to sort, enter for details of a row, l for the log, space to pause, ? for all keys, q to\n" +
      "quit. The mouse is not used.",
    "Workers are those of this data folder that sent a heartbeat within the last minute. It runs until\n" +
      "Ctrl-C, or until its output is closed. Its cost depends on the number of lanes (kind × job × host),\n" +
      "not on the number of tasks.",
  ],

  async run(context) {
    const { flags, out, clock, signal } = context;
    const every = textFlag(flags, "every");
    const everyMs = parseDuration("every", every ?? (out.isTerminal ? "1s" : "5s"));
    if (everyMs < 100) throw usageError(`--every takes at least 100ms, not '${every}'`);
    await using queue = await openExistingQueue(context);
    const rates = createRates();
    using keys = out.isTerminal ? openKeys(context.stdin, { clock, signal }) : undefined;
    if (keys) {
      const lookFor = async (view: ViewName) => ({
        ...(await look(queue, context, rates)),
        log: view === "log" ? readKeptLog(context.paths.logs(), { linesMax }).toReversed() : [],
      });
      await watchWithKeys({ look: lookFor, keys, out, clock, everyMs, signal });
      return "stopped";
    }
    do {
      const view = await look(queue, context, rates);
      out.frame(view, {
        screen: (layout) => describeTop(view, layout),
        line: () => describeTopInLine(view),
      });
    } while (await goesOnAfter(clock, everyMs, signal));
    return "stopped";
  },
};

async function look(
  queue: Queue,
  context: SettingsContext,
  rates: ReturnType<typeof createRates>,
): Promise<TopView> {
  const { clock, settings } = context;
  const [stats, gates, now] = await Promise.all([queue.stats(), queue.gates(), queue.now()]);
  return {
    atMs: clock.nowMs(),
    queue: settings.queue.url,
    stats,
    gates,
    storeNowMs: now.ms,
    heartbeats: await readHeartbeats(context),
    rates: rates.add(stats, clock.monotonicMs()),
  };
}

function createRates() {
  const rates: number[] = [];
  let before: { readonly ended: number; readonly atMs: number } | undefined;
  return {
    add({ states }: QueueStats, atMs: number): readonly number[] {
      const ended = states.done + states.skipped + states.failed;
      // A purge lowers the count: count that as 0, not as negative work.
      if (before && atMs > before.atMs) {
        rates.push(Math.max(0, ((ended - before.ended) / (atMs - before.atMs)) * 1_000));
      }
      before = { ended, atMs };
      if (rates.length > ratesKept) rates.shift();
      return [...rates];
    },
  };
}
