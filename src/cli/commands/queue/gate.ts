import { openExistingQueue, openOrMakeQueue } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { nearestHint } from "../../../base/text/nearest.ts";
import { auditedQueue, type Queue } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import { checkInput } from "./parts/check-input.ts";
import { gateColumns, gateValue } from "./parts/gate-columns.ts";

export const queueGate: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "the gate, usually a web host" }],
  options: [
    { flag: "--delay", value: "time", summary: "time between two starts, such as 1500ms" },
    { flag: "--limit", value: "count", summary: "maximum number of concurrent tasks" },
    { flag: "--block", value: "time", summary: "start no tasks for this time; 0 removes a block" },
  ],
  examples: [
    { line: "forager queue gate example.org", summary: "show its settings, and if it is open" },
    { line: "forager queue gate example.org --delay 2s --limit 1", summary: "slow it down" },
    {
      line: "forager queue gate new.example --delay 5s",
      summary: "before the first task: the gate is created",
    },
    {
      line: "forager queue gate example.org --block 1h",
      summary: "send the host no requests for an hour",
    },
  ],
  details: [
    "Later claims use a change at once, a worker that holds the gate after its next request. A shorter\n" +
      "block never shortens a longer one; 0 removes it. Without flags nothing is changed.",
  ],

  async run(context) {
    const { args, flags, clock, out } = context;
    const name = args[0]!;
    const [delay, limit, block] = ["delay", "limit", "block"].map((flag) => textFlag(flags, flag));
    const settings = {
      ...(delay === undefined ? {} : { delayMs: parseDuration("delay", delay) }),
      ...(limit === undefined ? {} : { limit: parseCount("limit", limit) }),
    };
    const blockMs = block === undefined ? undefined : parseDuration("block", block);
    // Both changes are checked before either is made.
    await checkInput(clock, (check) => {
      check.setGate(name, settings);
      if (blockMs !== undefined) check.delay("--block", blockMs);
    });
    const isChange = Object.keys(settings).length > 0 || blockMs !== undefined;
    await using queue = await (isChange ? openOrMakeQueue : openExistingQueue)(context);
    await using _state = await context.recordState(() => auditedQueue.gate(queue, name));
    if (Object.keys(settings).length > 0) await queue.setGate(name, settings);
    if (blockMs !== undefined) await queue.block(name, blockMs);
    const gate = await queue.gate(name);
    if (!gate) throw await noSuchGate(queue, name);
    const value = gateValue(gate, (await queue.now()).ms);
    out.result(value, (layout) => layout.table([value], gateColumns));
  },
};

async function noSuchGate(queue: Queue, name: string): Promise<AppError> {
  const names = (await queue.gates()).map((gate) => gate.name);
  const hint =
    names.length === 0
      ? "no task has one"
      : `${nearestHint(name, names, (close) => `the nearest is '${close}', `)}--delay, --limit or --block creates it`;
  return new AppError("invalid", "no_such_gate", `there is no gate '${name}': ${hint}`);
}
