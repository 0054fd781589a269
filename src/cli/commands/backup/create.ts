import { loadBackup } from "../../../app/index.ts";
import { countOf, formatCount } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import { filesOf } from "../config/files.ts";
import { startBar } from "./backup-options.ts";

export const backupCreate: Command = {
  needs: "settings",
  arguments: [{ name: "target", summary: "FILE, dir:FOLDER or s3://BUCKET/PREFIX" }],
  options: [
    { flag: "--keep-newest", value: "count", summary: "keep this many backups in a folder or bucket, remove older ones" }, // prettier-ignore
  ],
  examples: [
    { line: "forager backup create /mnt/usb/forager.tar.gz", summary: "one file" },
    { line: "forager backup create s3://my-backups/node-1 --keep-newest 14", summary: "add a backup in a bucket, keep the newest 14" }, // prettier-ignore
  ],
  details: [
    "Nodes can keep working: the copy is consistent. It contains all records, their history, campaigns,\n" +
      "users, the settings files and a local queue; not the index and logs. `tar xzf` unpacks it. It\n" +
      "contains secrets such as keys and password hashes: protect it like the data folder.",
  ],

  async run(context) {
    const { args, flags, out, paths, settings, cwd, clock, signal } = context;
    const keepText = textFlag(flags, "keepNewest");
    const keep = keepText === undefined ? undefined : parseCount("keep-newest", keepText);
    const target = args[0] ?? "";
    if (keep !== undefined && !/^(?:s3|dir):/.test(target)) {
      throw usageError(
        "--keep-newest is for a folder or bucket of backups: dir:FOLDER or s3://BUCKET/PREFIX",
      );
    }
    const { createBackup } = await loadBackup();
    const { user, project } = await filesOf(context);
    const settingsFiles = { "user.toml": user, ...(project && { "project.toml": project }) };
    const bar = startBar(context, "backup");
    const made = await asUsage(
      () =>
      createBackup({ paths, settings, settingsFiles, target, cwd, keep, clock, signal, onFile: () => bar.onFile() }), // prettier-ignore
    ).finally(() => bar.done());
    const { address, name, files, bytes, queue, leftOut, removed } = made;
    const place = address.endsWith(name) ? address : `${address}/${name}`;
    out.result(made, `${countOf(files, "file")}, ${formatCount(bytes)} bytes, written to ${place}`);
    if (queue !== "copied" && queue !== "none")
      out.note(`the backup does not contain the queue ${queue}`);
    if (leftOut.length > 0) out.note(`not in the backup, because they are not regular files: ${leftOut.slice(0, 5).join(", ")}`); // prettier-ignore
    if (removed.length > 0) out.note(`removed ${countOf(removed.length, "older backup")}`);
  },
};
