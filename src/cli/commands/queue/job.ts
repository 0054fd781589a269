import { openQueueToRead, openOrMakeQueue } from "../../../app/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import { auditedQueue, type JobInput } from "../../../queue/index.ts";
import type { Command, Flags } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import { changeJob } from "./parts/change-job.ts";
import { checkInput } from "./parts/check-input.ts";
import { noSuchJob } from "./parts/filters.ts";
import { jobColumns } from "./parts/job-columns.ts";

export const queueJob: Command = {
  needs: "settings",
  arguments: [{ name: "name", summary: "the job" }],
  options: [
    { flag: "--concurrency", value: "count", summary: "maximum number of concurrent tasks" },
    { flag: "--budget", value: "count", summary: "maximum number of tasks it may ever have" },
    { flag: "--gate", value: "name", summary: "the gate that paces all its tasks" },
  ],
  examples: [
    { line: "forager queue job nightly", summary: "show its state, limits and progress" },
    {
      line: "forager queue job nightly --concurrency 4 --budget 1000",
      summary: "set its limits; a new job is created",
    },
  ],
  details: ["`any` removes a limit. Other limits are not changed; without flags nothing changes."],

  async run(context) {
    const { args, flags, clock, out } = context;
    const name = args[0]!;
    const change = readChange(flags);
    const isChange = Object.keys(change).length > 0;
    await checkInput(clock, (check) => void check.openJob(name, toInput(change)));

    await using queue = await (isChange ? openOrMakeQueue : openQueueToRead)(context);
    const before = await queue.job(name);
    if (!before && !isChange) throw await noSuchJob(queue, name);
    await using _state = await context.recordState(() => auditedQueue.job(queue, name));
    const { concurrency = null, budget = null, gate = null } = { ...before, ...change };
    const wanted = toInput({ concurrency, budget, gate: gate === "" ? null : gate });
    const job = isChange
      ? await changeJob(queue, name, () => queue.openJob(name, wanted))
      : before!;
    out.result(job, (layout) => layout.table([job], jobColumns));
  },
};

/** `null` removes a limit. */
interface JobChange {
  readonly concurrency?: number | null;
  readonly budget?: number | null;
  readonly gate?: string | null;
}

function readChange(flags: Flags): JobChange {
  const gate = textFlag(flags, "gate");
  if (gate === "") throw usageError("--gate takes the name of a gate, or any for none");
  const limit = (flag: "concurrency" | "budget") => {
    const text = textFlag(flags, flag);
    if (text === undefined) return {};
    return { [flag]: text === "any" ? null : parseCount(flag, text) };
  };
  return {
    ...limit("concurrency"),
    ...limit("budget"),
    ...(gate === undefined ? {} : { gate: gate === "any" ? null : gate }),
  };
}

const toInput = ({ concurrency, budget, gate }: JobChange): JobInput => ({
  ...(concurrency === undefined || concurrency === null ? {} : { concurrency }),
  ...(budget === undefined || budget === null ? {} : { budget }),
  ...(gate === undefined || gate === null ? {} : { gate }),
});
