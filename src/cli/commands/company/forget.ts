import { hasFleetBucket } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import type { RecordKind } from "../../../records/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { copiesIn, copiesLeft, forgetInFleet } from "../ledger/forget-in-bucket.ts";
import { findRecord, nameArgument } from "./parts/find-record.ts";
import { openNodeOf } from "../../frame/node-context.ts";

const forgetCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [nameArgument(kind)],
  options: [
    { flag: "--yes", summary: "do not ask" },
    { flag: "--status", summary: "only say where copies remain; NAME is then its id" },
    { flag: "--undo", summary: "it may be made again; NAME is then its id" },
    sourceOption,
    bucketOption,
  ],
  examples: [
    { line: `forager ${kind} forget acme`, summary: "here, and in the bucket if one is set" },
    {
      line: `forager ${kind} forget ${kind}/acme.example --status`,
      summary: "where copies remain",
    },
  ],
  details: [
    "Irreversible: deletes facts, files, history and quarantined copies. Hashes of its domain,\n" +
      "place and addresses stay, so that crawls and imports leave it alone. Its id stays in journals too, by\n" +
      "which other nodes forget it: the id of a company that was added by its domain is that domain.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const name = args[0]!;
    const isStatus = flags["status"] === true;
    await using opened = await openNodeOf(context);
    const { records, ledger } = opened;
    const source = sourceOf(context);
    const hasBucket = hasFleetBucket(fleetOf(context));
    const idTarget = name.startsWith(`${kind}/`) ? name : `${kind}/${name}`;
    if (flags["undo"] === true) {
      const { datagrams } = await asUsage(() => ledger.unforget({ target: idTarget, source }));
      const words = datagrams.length > 0 ? "may be made again" : "was not forgotten";
      return out.result(
        { target: idTarget, isUndone: datagrams.length > 0 },
        `${idTarget} ${words}`,
      );
    }
    let target = idTarget;
    if (!isStatus) {
      const record = await findRecord(opened, kind, name);
      target = record.target;
      const question = `forget ${record.slug} (${record.name})? nothing brings it back`;
      if (!(await context.confirm(question, { yes: flags["yes"] === true }))) {
        out.note("nothing was forgotten");
        return "failed";
      }
      context.recordChange({ after: { target } });
      await asUsage(() => records.forget({ name: target, source }));
      if (hasBucket) await forgetInFleet(context, ledger);
    }
    const { isForgotten } = await ledger.read(target);
    if (!isForgotten && (await records.resolve(kind, name)) === undefined) {
      const words = `there is no ${kind} '${name}', and none of that id was forgotten`;
      throw usageError(
        `${words}: --status takes the id that \`forget\` told, such as ${kind}/acme.example`,
      );
    }
    const here = await records.remains(target);
    const copies = hasBucket ? await copiesIn(context, target) : undefined;
    const left = [
      ...(here.files > 0 ? [countOf(here.files, "file")] : []),
      ...(here.aside > 0 ? [`${countOf(here.aside, "file")} that were put aside`] : []),
      ...(here.datagrams > 0 ? [`${countOf(here.datagrams, "datagram")} in the journal`] : []),
      ...(copies ? copiesLeft(copies) : []),
    ];
    const where = copies ? "here and in the bucket" : "here (no bucket was looked at)";
    out.result(
      { target, isForgotten, here, ...copies },
      !isForgotten
        ? `${target} is not forgotten`
        : left.length === 0
          ? `${target} is forgotten; no copy remains ${where}`
          : `${target} is forgotten; copies remain: ${left.join("; ")}`,
    );
  },
});

export const companyForget = forgetCommand("company");
export const personForget = forgetCommand("person");
