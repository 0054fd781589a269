import { openOrMakeQueue } from "../../../app/index.ts";
import { assert } from "../../../base/app-error.ts";
import { createId } from "../../../base/ids.ts";
import { systemRandom } from "../../../base/random.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import type { AddStatus, TaskInput } from "../../../queue/index.ts";
import type { Command, Flags } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import { parsePriority } from "./parts/filters.ts";

export const queueAdd: Command = {
  needs: "settings",
  arguments: [
    { name: "kind", summary: "the kind of the task" },
    {
      name: "payload",
      summary: "payload for the handler, as JSON (default: null)",
      isOptional: true,
    },
  ],
  options: [
    { flag: "--key", value: "text", summary: "a second task with this key is a duplicate" },
    { flag: "--job", value: "name", summary: "its job, a group of tasks (default: default)" },
    { flag: "--gate", value: "name", summary: "the gate that paces it, usually a web host" },
    {
      flag: "--priority",
      value: "0-1000",
      summary: "0 to 1000; a higher one runs first (default: 500)",
    },
    { flag: "--delay", value: "time", summary: "start it after this time, such as 5m" },
    { flag: "--attempts", value: "count", summary: "maximum number of attempts (default: 5)" },
  ],
  examples: [
    {
      line: `forager queue add fetch '{"url":"https://example.org/"}' --gate example.org`,
      summary: "add a task that is paced with all others of its host",
    },
    {
      line: "forager queue add report --key 2026-07 --delay 2h --priority 900",
      summary: "run it in two hours, before others; repeated, it is a duplicate",
    },
  ],
  details: [
    "Exit code 0 if the task is in the queue, even if it was already there (duplicate: only a\n" +
      "pending task's priority is raised); 1 if it was refused: over_budget (its job may have no\n" +
      "more), closed (its job was sealed or has ended) or full.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const task = readTask(args, flags);
    await using queue = await openOrMakeQueue(context);
    const [answer] = await asUsage(() => queue.add([task]));
    assert(answer, "an add of one task has one answer");
    const { kind, job = "default", gate = "", key } = task;
    const { status, id = null } = answer;
    out.result({ status, id, kind, job, gate, key }, sentences[status](id, job));
    if (id === null) return "failed";
  },
};

const sentences: Readonly<Record<AddStatus, (id: number | null, job: string) => string>> = {
  added: (id) => `task ${id} was added`,
  duplicate: (id) => `duplicate: task ${id} has this key`,
  over_budget: (_, job) => `over_budget: job '${job}' may have no more tasks; nothing was added`,
  closed: (_, job) => `closed: job '${job}' was sealed or has ended; nothing was added`,
  full: () => "full: the queue accepts no more tasks at the moment; nothing was added",
};

type KeyedTask = TaskInput & { readonly key: string };

function readTask(args: readonly string[], flags: Flags): KeyedTask {
  const [kind = "", payload] = args;
  const [job, gate] = [textFlag(flags, "job"), textFlag(flags, "gate")];
  const delay = textFlag(flags, "delay");
  const attempts = textFlag(flags, "attempts");
  const priority = textFlag(flags, "priority");
  return {
    kind,
    ...(payload === undefined ? {} : { payload: parsePayload(payload) }),
    // Created here and not by the queue, so that the task can be found again.
    key: textFlag(flags, "key") ?? createId(systemRandom),
    ...(job === undefined ? {} : { job }),
    ...(gate === undefined ? {} : { gate }),
    ...(priority === undefined ? {} : { priority: parsePriority(priority) }),
    ...(delay === undefined ? {} : { delayMs: parseDuration("delay", delay) }),
    ...(attempts === undefined ? {} : { attemptsMax: parseCount("attempts", attempts) }),
  };
}

function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const why = (cause as SyntaxError).message;
    throw usageError(`the payload is not JSON (${why}): quote it, such as '{"page":1}'`, { cause });
  }
}
