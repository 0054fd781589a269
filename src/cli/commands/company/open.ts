import { auditedRecords, type RecordKind } from "../../../records/index.ts";
import { dirname } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import type { Command } from "../../frame/command.ts";
import { openInEditor } from "./parts/editor.ts";
import { findRecord, nameArgument } from "./parts/find-record.ts";
import { openNodeOf } from "../../frame/node-context.ts";

const openCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [nameArgument(kind)],
  examples: [
    { line: `forager ${kind} open ${kind === "company" ? "acme" : "anna-berg"}`, summary: "edit its file in $VISUAL or $EDITOR" }, // prettier-ignore
  ],
  details: [
    "Your changes are imported when the editor exits: they count as written by you. A file that cannot\n" +
      "be parsed is kept as you wrote it and reported; then it exits 1.",
  ],

  async run(context) {
    const { args, out, paths } = context;
    await using opened = await openNodeOf(context);
    const { records } = opened;
    const { target, slug } = await findRecord(opened, kind, args[0]!);
    const file = await records.fileOf(target);
    if (file === undefined) {
      const message = `${slug} has no file: \`forager records rebuild\` writes it`;
      throw new AppError("invalid", "record_no_file", message);
    }
    await using _state = await context.recordState(() => auditedRecords(opened.ledger, [target]));
    await openInEditor(paths.resolve(file));
    const { edited, problems } = await records.ingest({ only: [dirname(file)] });
    const fields = edited.flatMap((one) => one.fields);
    const words =
      fields.length === 0 ? "nothing changed" : `${fields.join(", ")} of ${slug} changed`;
    out.result({ target, slug, file, fields, problems }, words);
    for (const { path, reason } of problems) out.note(`${path}: ${reason}`);
    return problems.length > 0 ? "failed" : undefined;
  },
});

export const companyOpen = openCommand("company");
export const personOpen = openCommand("person");
