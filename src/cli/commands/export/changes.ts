import { resolve } from "node:path";
import {
  exportChanges,
  exportToFile,
  openExportPosition,
  type ExportedChanges,
} from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { keepHeapSmall } from "../../../base/process/small-heap.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { legalLines } from "../../../records/index.ts";
import { attributionLine } from "../../../sources/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { positionOptions, restartOption } from "./position-options.ts";
import { choiceOptions, readChoice } from "./read-choice.ts";

export const exportChangesCommand: Command = {
  needs: "settings",
  options: [
    { flag: "--name", value: "name", summary: "name of the feed, which stores its own position (default: the campaign's name, else changes)" }, // prettier-ignore
    restartOption,
    { flag: "--to", value: "file", summary: "write it to this file, completely or not at all", complete: "file" }, // prettier-ignore
    ...choiceOptions,
  ],
  examples: [
    { line: "forager export changes --to changes.jsonl", summary: "changes since the last run; the first run exports all" }, // prettier-ignore
    { line: "forager export changes --campaign austin --name crm | my-program", summary: "a feed for another program" }, // prettier-ignore
  ],
  details: [
    "One JSON object a line: change (new, changed, closed, removed), at, id, and the company as it is now.\n" +
      "changed: a column of `export companies` differs. closed: its status is now closed. removed: it was\n" +
      "deleted, forgotten, merged, excluded or suppressed, or does not match these filters any more; only its\n" +
      "id is written.",
    "The position is kept in the fleet's bucket, or without one in the data folder, after the feed is\n" +
      "written: a crash in between repeats changes, but loses none. Feeds of one name run one at a time.",
    "With --to, FILE.about.json and FILE.LICENCES.txt are written beside it, as for `export companies`;\n" +
      "without it, attributions and the settings legal.* are printed to stderr.",
  ],

  async run(context) {
    const { flags, out, cwd, clock } = context;
    const { legal } = context.settings;
    const to = textFlag(flags, "to");
    const name = textFlag(flags, "name") ?? textFlag(flags, "campaign") ?? "changes";
    const choose = await readChoice(context);
    keepHeapSmall();
    await using reader = await openReaderOf(context);
    await using position = await asUsage(() =>
      openExportPosition(positionOptions(context), name, { isFeed: true }),
    );
    const options = { ...choose(reader), position, nowMs: clock.nowMs() };
    if (to === undefined) {
      const done = await exportChanges({ ...options, write: (text) => out.piece(text) });
      await done.commit();
      context.recordChange({ after: { name, changes: done.counts.changes } });
      out.note(wordsOf(done));
      for (const line of done.counts.licences) out.note(`attribution: ${attributionLine(line)}`);
      for (const line of legalLines(legal)) out.note(line);
      return;
    }
    let done: ExportedChanges | undefined;
    const { licences } = await exportToFile({
      to: resolve(cwd, to),
      fileFormat: "jsonl",
      campaign: textFlag(flags, "campaign"),
      legal,
      nowMs: clock.nowMs(),
      async run(write) {
        done = await exportChanges({ ...options, write });
        await position.confirm();
        return done.counts;
      },
    });
    await done!.commit();
    const { counts, since = null } = done!;
    context.recordChange({ after: { name, changes: counts.changes } });
    out.result(
      { file: to, name, since, changes: counts.changes },
      [
        `${wordsOf(done!)} to ${to}`,
        ...licences.map((licence) => `attribution: ${attributionLine(licence)}`),
      ].join("\n"),
    );
  },
};

function wordsOf({ counts: { changes }, since }: ExportedChanges): string {
  const total = Object.values(changes).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(changes).map(([kind, count]) => `${count} ${kind}`);
  const from = since === undefined ? "first export of this name" : `since ${since}`;
  return `${countOf(total, "change")} (${parts.join(", ")}), ${from}`;
}
