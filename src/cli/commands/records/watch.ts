import { loadServiceNode } from "../../../app/index.ts";
import type { Ingested } from "../../../records/index.ts";
import { fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { untilStopped } from "../../frame/until-stopped.ts";

export const recordsWatch: Command = {
  needs: "settings",
  examples: [
    {
      line: "forager records watch",
      summary: "import manual edits as files are saved, until Ctrl-C",
    },
    { line: "forager records watch --json", summary: "one JSON document a line" },
  ],

  async run(context) {
    const { out, loaded, signal } = context;
    const { openServiceNode } = await loadServiceNode();
    await using node = await openServiceNode({ ...fleetOf(context), loaded });
    const onProgress = (ingested: Ingested) => {
      if (ingested.edited.length === 0 && ingested.problems.length === 0) return;
      const lines = [
        ...ingested.edited.map(({ target, fields }) => `${target}: ${fields.join(", ")}`),
        ...ingested.problems.map(({ path, reason }) => `${path}: ${reason}`),
      ];
      const line = () => lines.join("\n");
      if (out.isJson) out.frame(ingested, { screen: line, line });
      else out.result(ingested, line());
    };
    const over = new AbortController();
    const watching = node.api.records.watch({}, { onProgress, signal: over.signal });
    out.note("watching the files; press Ctrl-C to stop");
    try {
      await Promise.race([untilStopped(signal), node.gone, watching]);
    } finally {
      over.abort();
    }
    await watching;
    return "stopped";
  },
};
