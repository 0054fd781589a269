import { loadBackup } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { atOption, momentFlag, startBar } from "./backup-options.ts";

export const backupVerify: Command = {
  needs: "settings",
  arguments: [{ name: "source", summary: "FILE, dir:FOLDER or s3://BUCKET/PREFIX" }],
  options: [atOption],
  examples: [{ line: "forager backup verify forager.tar.gz", summary: "check that no byte has changed" }], // prettier-ignore
  details: ["Exits 1 if the backup is damaged or incomplete."],

  async run(context) {
    const { args, out, cwd, signal } = context;
    const { verifyBackup } = await loadBackup();
    const bar = startBar(context, "verify");
    const options = { source: args[0] ?? "", at: momentFlag(context), cwd, signal };
    const found = await asUsage(() => verifyBackup({ ...options, onFile: () => bar.onFile() })).finally(() => bar.done()); // prettier-ignore
    const { name, head, files } = found;
    const of = head.node === undefined ? "" : ` of node ${head.node}`;
    out.result(found, `${name} is sound: ${countOf(files, "file")}${of}, made at ${head.at}`);
  },
};
