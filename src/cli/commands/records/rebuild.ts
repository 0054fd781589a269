import { countOf } from "../../../base/text/count-words.ts";
import { keepHeapSmall } from "../../../base/process/small-heap.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";

export const recordsRebuild: Command = {
  needs: "settings",
  examples: [
    { line: "forager records rebuild", summary: "rebuild index and files from the ledger" },
  ],
  details: ["Manual edits of the files are imported first, so nothing is lost."],

  async run(context) {
    const { out, clock } = context;
    keepHeapSmall();
    const startedAtMs = clock.monotonicMs();
    const records = await rebuild(context);
    const seconds = Math.round((clock.monotonicMs() - startedAtMs) / 100) / 10;
    out.result({ records, seconds }, `${countOf(records, "record")} in ${seconds} s`);
  },
};

async function rebuild(context: SettingsContext): Promise<number> {
  await using node = await openNodeOf(context);
  const { records } = node;
  const bar = context.progress.start({ label: "rebuild" });
  let before = 0;
  try {
    const built = await records.rebuild({
      onProgress({ step, done, total }) {
        if (step !== "files") return bar.note(`${countOf(done, "file")} looked at`);
        if (total !== undefined) bar.setTotal(total);
        bar.note("");
        bar.advance(done - before);
        before = done;
      },
      signal: context.signal,
    });
    return built.records;
  } finally {
    bar.done();
  }
}
