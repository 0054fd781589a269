import { loadBackup } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../command.ts";
import { openNodeOf } from "../../node-context.ts";
import { atOption, momentFlag, startBar } from "./backup-options.ts";

export const backupRestore: Command = {
  needs: "settings",
  arguments: [{ name: "source", summary: "FILE, dir:FOLDER or s3://BUCKET/PREFIX" }],
  options: [atOption, { flag: "--yes", summary: "replace a data folder that has content" }],
  examples: [
    { line: "forager backup restore forager.tar.gz --data new", summary: "into a new folder" },
    { line: "forager backup restore s3://my-backups/node-1 --at 3d --yes", summary: "as it was three days ago" }, // prettier-ignore
  ],
  details: [
    "The whole backup is read and checked first: a damaged one changes nothing. Content that is\n" +
      "replaced is kept in before-restore/ of the data folder, until you delete it. Stop `forager up` first.",
    "A crash leaves the old content or the new one. Settings files are put into restored-settings/;\n" +
      "those of this machine stay as they are.",
  ],

  async run(context) {
    const { args, flags, out, paths, cwd, clock, signal } = context;
    const { restoreBackup } = await loadBackup();
    const bar = startBar(context, "restore");
    const restored = await asUsage(() =>
      restoreBackup({
        paths,
        source: args[0] ?? "",
        at: momentFlag(context),
        cwd,
        clock,
        signal,
        onFile: () => bar.onFile(),
        mayReplace: ({ head }) => {
          bar.done();
          const question = `replace what is in ${paths.root()} by the backup of ${head.at}?`;
          return context.confirm(question, { yes: flags["yes"] === true });
        },
      }),
    ).finally(() => bar.done());
    if (!restored) {
      out.note("nothing was restored");
      return "failed";
    }
    // The index is not in a backup: commands that only read need it.
    await using node = await openNodeOf(context);
    await node.records.count({ kind: "company" }, 1);
    const { head, files, replaced, settings } = restored;
    out.result(restored, `restored ${countOf(files, "file")} of ${head.at} into ${paths.root()}`);
    if (replaced !== undefined) out.note(`what was there before is in ${replaced}`);
    if (settings !== undefined) out.note(`settings files of the backup are in ${settings}; those of this machine stay`); // prettier-ignore
    return undefined;
  },
};
