import { loadBackup } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { atOption, momentFlag, startBar } from "./backup-options.ts";

export const backupRestore: Command = {
  needs: "settings",
  arguments: [{ name: "source", summary: "FILE, dir:FOLDER or s3://BUCKET/PREFIX" }],
  options: [
    atOption,
    { flag: "--yes", summary: "replace a data folder that is not empty, without asking" },
  ],
  examples: [
    { line: "forager backup restore forager.tar.gz --data new", summary: "into a new folder" },
    { line: "forager backup restore s3://my-backups/node-1 --at 3d --yes", summary: "the state of three days ago" }, // prettier-ignore
  ],
  details: [
    "The whole backup is read and checked first: a damaged one changes nothing. The replaced content\n" +
      "is kept in before-restore/ of the data folder until you delete it. Stop `forager up` first.",
    "A crash leaves either the old or the new content. The backup's settings files are put into\n" +
      "restored-settings/; the settings files of this machine do not change.",
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
          const question = `replace the content of ${paths.root()} with the backup made at ${head.at}?`;
          return context.confirm(question, { yes: flags["yes"] === true });
        },
      }),
    ).finally(() => bar.done());
    if (!restored) {
      out.note("nothing was restored");
      return "failed";
    }
    // A backup contains no index, but commands that only read need one, so build it now.
    await using node = await openNodeOf(context);
    await node.records.count({ kind: "company" }, 1);
    const { head, files, replaced, settings } = restored;
    out.result(
      restored,
      `restored ${countOf(files, "file")} from the backup of ${head.at} into ${paths.root()}`,
    );
    if (replaced !== undefined) out.note(`the previous content is in ${replaced}`);
    if (settings !== undefined) out.note(`the backup's settings files are in ${settings}; this machine's settings did not change`); // prettier-ignore
    return undefined;
  },
};
