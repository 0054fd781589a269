import { countOf } from "../../../base/text/count-words.ts";
import { mergeDuplicates } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";

export const companyResolve: Command = {
  needs: "settings",
  options: [{ flag: "--dry-run", summary: "only show how many would be merged" }],
  examples: [
    {
      line: "forager company resolve --dry-run",
      summary: "count companies that are certainly the same",
    },
    { line: "forager company resolve", summary: "merge them" },
  ],
  details: [
    "Merges companies of different sources that are certainly the same business. Others are listed by\n" +
      "`forager company duplicates`. Workers do the same as tasks of the kind resolve.",
  ],

  async run(context) {
    const { flags, out, progress, signal } = context;
    const isDryRun = flags["dryRun"] === true;
    await using opened = await openNodeOf(context);
    const bar = progress.start({ label: "merge", total: 0 });
    try {
      const { merged, left } = await mergeDuplicates(opened.records, {
        isDryRun,
        signal,
        onMerged: () => bar.advance(1),
      });
      const words = isDryRun ? "would be merged" : "merged";
      const rest = left > 0 ? `; ${countOf(left, "pair")} for \`forager company duplicates\`` : "";
      out.result({ merged, left }, `${countOf(merged, "company")} ${words}${rest}`);
    } finally {
      bar.done();
    }
  },
};
