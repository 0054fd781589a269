import { askForLogs, openFleet, type OpenFleet } from "../../../app/index.ts";
import { formatLogLine } from "../../../base/log/log-line.ts";
import { readKeptLog } from "../../../base/log/kept-log.ts";
import { sleep } from "../../../base/clock.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { findNode, isPresent, logKey, type NodeSeen } from "../../../fleet/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import { sourceOf } from "../../options/source-option.ts";
import { goesOnAfter } from "../../frame/until-stopped.ts";

/**
 * How long a node uploads its log lines every two seconds: for a single request, and with --follow.
 */
const askMs = { once: 20_000, follow: 120_000 };
const answerMsMax = 15_000;
const followMs = 2_000;

export const logs: Command = {
  needs: "settings",
  arguments: [
    {
      name: "node",
      summary: "name or id (default: this node)",
      isOptional: true,
      complete: "node",
    },
  ],
  options: [
    {
      flag: "--lines",
      short: "-n",
      value: "count",
      summary: "number of lines to show (default: 100)",
    },
    { flag: "--follow", summary: "follow new lines, until Ctrl-C" },
    { flag: "--no-ask", summary: "only lines that are in the bucket already" },
    bucketOption,
  ],
  examples: [
    { line: "forager logs", summary: "the last lines of this node's processes" },
    {
      line: "forager logs pi-3 --follow",
      summary: "the lines of another node, and follow new ones",
    },
    { line: "forager logs pi-3 -n 20 --json", summary: "as JSON, as they were written" },
  ],
  details: [
    "Every node keeps its last lines, and uploads them to the bucket once a minute if there are new\n" +
      "ones: so the lines of an offline node can be read too. An online node is asked for the newest, which\n" +
      "takes up to 15 seconds.",
  ],

  async run(context) {
    const { args, flags, out, clock, signal } = context;
    const count = parseCount("lines", textFlag(flags, "lines") ?? "100");
    const isFollowing = flags["follow"] === true;
    const source = await openSource(context, args[0], isFollowing);
    await using _closing = source;
    const printed = createPrinter(context);
    await printed.print(await source.read(), count);
    if (!isFollowing) {
      if (!printed.hasAny()) out.note("there are no log lines");
      return undefined;
    }
    while (await goesOnAfter(clock, followMs, signal)) {
      await printed.print(await source.read(), Infinity);
    }
    return "stopped";
  },
};

interface Source extends AsyncDisposable {
  /** All available lines, oldest first. */
  read(): Promise<readonly string[]>;
}

async function openSource(
  context: SettingsContext,
  name: string | undefined,
  isFollowing: boolean,
): Promise<Source> {
  const { paths, flags, out } = context;
  const readHere = async () => readKeptLog(paths.logs(), { linesMax: 10_000 });
  if (name === undefined) return { read: readHere, [Symbol.asyncDispose]: async () => {} };
  const fleet = await openFleet({ ...fleetOf(context), isReader: true });
  const close = { [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose]() };
  try {
    const { roster } = await fleet.reach();
    const node = await asUsage(async () => findNode(roster, name));
    if (node.isSelf) return { read: readHere, ...close };
    const { bucket } = fleet;
    if (!bucket) {
      throw usageError("log lines of other nodes are in the bucket: set bucket.url or --bucket");
    }
    const read = async () => {
      const got = await bucket.get(logKey(node.node));
      return got.status === "found"
        ? Buffer.from(got.body).toString().split("\n").filter(Boolean)
        : [];
    };
    if (!isPresent(node, context.clock.nowMs()))
      out.note(`${node.label} is offline: its last lines`);
    else if (flags["ask"] !== false) {
      const asker = createAsker(context, fleet, { node, isFollowing });
      await asker.ask();
      await asker.answered(read);
      return { read: async () => (await asker.again(), read()), ...close };
    }
    return { read, ...close };
  } catch (error) {
    await fleet[Symbol.asyncDispose]();
    throw error;
  }
}

interface Asked {
  readonly node: NodeSeen;
  readonly isFollowing: boolean;
}

/** Requests log lines from a node, and renews the request before it expires. */
function createAsker(context: SettingsContext, fleet: OpenFleet, { node, isFollowing }: Asked) {
  const { clock, signal } = context;
  let untilMs = 0;
  const ask = async () => {
    untilMs = await askForLogs(fleet, {
      node: node.node,
      forMs: isFollowing ? askMs.follow : askMs.once,
      by: sourceOf(context),
      atMs: clock.nowMs(),
    });
  };
  return {
    ask,
    /** Waits until new lines have arrived, or for as long as a node may take. */
    async answered(read: () => Promise<readonly string[]>): Promise<void> {
      const before = (await read()).at(-1);
      const endMs = clock.monotonicMs() + answerMsMax;
      while (clock.monotonicMs() < endMs) {
        if ((await read()).at(-1) !== before) return;
        await sleep(clock, 500, signal);
      }
    },
    async again(): Promise<void> {
      if (isFollowing && untilMs - clock.nowMs() < askMs.follow / 4) await ask();
    },
  };
}

/**
 * Prints each line once. Programs get the lines as JSON, as they were written: one JSON document per line.
 */
function createPrinter({ out }: SettingsContext) {
  let known: ReadonlySet<string> = new Set();
  let hasAny = false;
  return {
    hasAny: () => hasAny,
    async print(lines: readonly string[], count: number): Promise<void> {
      const fresh = lines.filter((one) => !known.has(one) && isLine(one)).slice(-count);
      known = new Set(lines);
      hasAny ||= fresh.length > 0;
      for (const line of fresh) await out.piece(out.isJson ? `${line}\n` : shown(line));
    },
  };
}

/**
 * JSON escapes control characters, so a line that is printed as it is cannot control a terminal.
 */
function isLine(text: string): boolean {
  try {
    return text.startsWith("{") && JSON.parse(text) !== undefined;
  } catch {
    return false; // not a log line of Forager
  }
}

/** With the date, because lines of several days and machines are shown together. */
function shown(line: string): string {
  const day = /"time":"(\d{4}-\d{2}-\d{2})/.exec(line)?.[1] ?? "";
  return `${day} ${formatLogLine(line)}`;
}
