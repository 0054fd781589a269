import { loadBackup } from "../../../app/index.ts";
import { formatCount } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";

export const backupList: Command = {
  needs: "settings",
  arguments: [{ name: "source", summary: "FILE, dir:FOLDER or s3://BUCKET/PREFIX" }],
  examples: [{ line: "forager backup list s3://my-backups/node-1", summary: "newest first" }],
  details: ["Interrupted backups are not listed."],

  async run({ args, out, cwd, signal }) {
    const { listBackups } = await loadBackup();
    const rows = await asUsage(() => listBackups({ source: args[0] ?? "", cwd, signal }));
    if (rows.length === 0) return out.result([], "no backups found");
    out.table(rows, [
      { title: "backup", value: ({ name }) => name, isKey: true },
      { title: "made", value: ({ at }) => at.slice(0, 19).replace("T", " ") },
      { title: "bytes", value: ({ bytes }) => formatCount(bytes) },
    ]);
  },
};
