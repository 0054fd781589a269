import { openStatusReader, readStatus } from "../../../app/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { goesOnAfter } from "../../frame/until-stopped.ts";
import { describeStatus, describeStatusInLine } from "./status-view.ts";

export const status: Command = {
  needs: "settings",
  options: [
    { flag: "--cluster", summary: "all nodes of the fleet, by the bucket and by gossip" },
    { flag: "--watch", summary: "repeat until Ctrl-C" },
    { flag: "--every", value: "time", summary: "the interval of --watch (default: 5s)" },
    bucketOption,
  ],
  examples: [
    { line: "forager status", summary: "this node: its data, its queue, its problems" },
    { line: "forager status --cluster", summary: "every node: last seen, drift, hub, queue" },
    { line: "forager status --cluster --json", summary: "the same for a program" },
    { line: "forager status --watch --every 10s", summary: "update it until Ctrl-C" },
  ],
  details: [
    "Changes nothing. Exits 3 if something needs attention, and says what: a node that\n" +
      "is missing, lasting drift, an alert, quarantined data, a missing hub, a wrong clock, or\n" +
      "what `forager records check` finds (of more than 1,000 records only files that cannot be read).",
    "missing here/there: changes of that node not yet here, and the reverse. Without\n" +
      "--cluster no request is made to the bucket.",
  ],

  async run(context) {
    const { flags, out, clock, signal } = context;
    const isCluster = flags["cluster"] === true;
    const isWatching = flags["watch"] === true;
    const every = textFlag(flags, "every") ?? "5s";
    if (flags["every"] !== undefined && !isWatching)
      throw usageError("--every can only be used with --watch");
    const everyMs = parseDuration("every", every);
    if (everyMs < 100) throw usageError(`--every takes at least 100ms, not '${every}'`);
    const options = { ...fleetOf(context), isCluster };
    if (!isWatching) {
      const found = await readStatus(options);
      out.result(found, (layout) => describeStatus(found, isCluster, layout));
      return found.attention.length > 0 ? "partial" : undefined;
    }
    await using reader = await openStatusReader(options);
    do {
      const found = await reader.read();
      out.frame(found, {
        screen: (layout) => describeStatus(found, isCluster, layout),
        line: () => describeStatusInLine(found),
      });
    } while (await goesOnAfter(clock, everyMs, signal));
    return "stopped";
  },
};
