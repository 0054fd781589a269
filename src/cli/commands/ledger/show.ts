import { openRetryingFleetBucket } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { usageError } from "../../../base/usage-error.ts";
import { readArchive, viewAt, type TargetView } from "../../../ledger/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { textFlag } from "../../options/flags.ts";
import { fieldColumns } from "./field-columns.ts";

export const ledgerShow: Command = {
  needs: "settings",
  arguments: [{ name: "target", summary: "such as company/1a2b" }],
  options: [
    { flag: "--at", value: "moment", summary: "the state at this time: 2026-11-15T12:00:00Z" },
    bucketOption,
  ],
  examples: [
    { line: "forager ledger show company/1a2b", summary: "its fields and their sources" },
    {
      line: "forager ledger show company/1a2b --at 2026-11-15 --bucket s3://fleet",
      summary: "its state before the checkpoint",
    },
  ],

  async run(context) {
    const { args, out } = context;
    const target = args[0]!;
    await using node = await openReaderOf(context);
    const view = await viewOf(context, node.ledger, target);
    if (view.fields.length === 0 && !view.isForgotten) {
      const message = `there is no target ${target}: \`forager ledger log\` shows which exist`;
      throw new AppError("invalid", "ledger_no_target", message);
    }
    out.result(view, (layout) => {
      if (view.isForgotten) return `${target} was forgotten`;
      const into = view.mergedInto ? `\nmerged into ${view.mergedInto}` : "";
      const count = view.conflicts.length;
      const conflicts = count > 0 ? `\n${count} conflicts: see forager ledger conflicts` : "";
      return layout.table(view.fields, fieldColumns) + into + conflicts;
    });
  },
};

async function viewOf(
  context: SettingsContext,
  ledger: NodeReadApi["ledger"],
  target: string,
): Promise<TargetView> {
  const at = textFlag(context.flags, "at");
  const now = await ledger.read(target);
  // A forgotten target is not shown for earlier moments either.
  if (at === undefined || now.isForgotten) return now;
  const atMs = Date.parse(at);
  if (Number.isNaN(atMs)) throw usageError(`--at takes a moment such as 2026-11-15T12:00:00Z`);
  const datagrams = [...(await ledger.writtenOf([target]))];
  if ((await ledger.status()).checkpoint > 0 || textFlag(context.flags, "bucket") !== undefined) {
    await using bucket = await openRetryingFleetBucket(fleetOf(context));
    for await (const one of readArchive(bucket)) if (one.target === target) datagrams.push(one);
  }
  return viewAt(target, datagrams, atMs);
}
