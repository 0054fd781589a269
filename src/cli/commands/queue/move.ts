import { resolve } from "node:path";
import { moveQueue } from "../../../app/index.ts";
import { countTasks } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";

export const queueMove: Command = {
  needs: "settings",
  arguments: [
    {
      name: "file",
      summary: "the SQLite file to move from (default: queue.db in the data folder)",
      isOptional: true,
    },
  ],
  examples: [
    {
      line: "forager queue move",
      summary: "after bucket.url was set: move the tasks of the local queue to the bucket",
    },
    {
      line: "forager queue move old/queue.db --queue postgres://db.example/work",
      summary: "from another file, to another queue",
    },
  ],
  details: [
    "Copies pending tasks with their jobs and gates to the configured queue (queue.url), then renames\n" +
      "the file to FILE.moved-TIME. Failed and finished tasks stay in the renamed file. Stop the workers of\n" +
      "the old queue first. After an interruption run it again: tasks are identified by their keys.",
    "Exit code 3 if the other queue is full and accepted only a part: run it again when there is room.",
  ],

  async run({ args, settings, paths, cwd, clock, progress, out }) {
    const [name] = args;
    const file =
      name === undefined ? paths.queueFile() : resolve(cwd, name.replace(/^sqlite:/, ""));
    let bar: ReturnType<typeof progress.start> | undefined;
    const moved = await asUsage(() =>
      moveQueue({
        settings,
        paths,
        file,
        clock,
        onTotal: (total) => (bar = progress.start({ label: "move tasks", total })),
        onTasks: (count) => bar?.advance(count),
      }),
    ).finally(() => bar?.done());
    const { moved: count, duplicate, refused, failed, keptAs } = moved;
    out.result({ file, queue: settings.queue.url, ...moved }, () =>
      [
        `moved ${countTasks(count)} to ${settings.queue.url}`,
        ...(duplicate > 0 ? [`${countTasks(duplicate)} were already there`] : []),
        ...(refused > 0
          ? [`${countTasks(refused)} were refused because the queue is full: run it again later`]
          : []),
        ...(failed > 0 ? [`${countTasks(failed)} that failed stay in the old file`] : []),
        ...(keptAs === undefined ? [] : [`the old file is now ${keptAs}`]),
      ].join("\n"),
    );
    return refused > 0 ? "partial" : undefined;
  },
};
