import { hasFleetBucket } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { idsOfName, type RecordKind } from "../../../records/index.ts";
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
    { flag: "--status", summary: "only show where copies remain; NAME is its id, domain or place" },
    { flag: "--undo", summary: "allow it to be added again; NAME is its id, domain or place" },
    sourceOption,
    bucketOption,
  ],
  examples: [
    { line: `forager ${kind} forget acme`, summary: "here, and in the bucket if one is set" },
    {
      line: `forager ${kind} forget ${kind === "company" ? "acme.example" : "7k4b1742w08c82k3"} --status`,
      summary: "where copies remain",
    },
  ],
  details: [
    "Irreversible: deletes facts, files, history, quarantined copies and links of other records to it.\n" +
      "Hashes of its domain, place and addresses are kept, so that it is not added again. Its people are kept:\n" +
      "forget them too. A company that version 0.2 or earlier made by its domain has that domain as its id, which\n" +
      "stays in the journals, because other nodes need it to forget the company too.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const name = args[0]!;
    const isStatus = flags["status"] === true;
    await using opened = await openNodeOf(context);
    const { records, ledger } = opened;
    const source = sourceOf(context);
    const hasBucket = hasFleetBucket(fleetOf(context));
    const idTarget = await forgottenTarget(ledger, kind, name);
    if (flags["undo"] === true) {
      const { datagrams } = await asUsage(() => ledger.unforget({ target: idTarget, source }));
      const words = datagrams.length > 0 ? "may be added again" : "was not forgotten";
      return out.result(
        { target: idTarget, isUndone: datagrams.length > 0 },
        `${idTarget} ${words}`,
      );
    }
    let target = idTarget;
    if (!isStatus) {
      const isRepeated =
        (await ledger.read(idTarget)).isForgotten &&
        (await records.resolve(kind, name)) === undefined;
      const record = isRepeated
        ? { target, slug: target, name: "again" }
        : await findRecord(opened, kind, name);
      target = record.target;
      const question = `forget ${record.slug} (${record.name})? this cannot be undone`;
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
      const words = `there is no ${kind} '${name}', and none with that id was forgotten`;
      throw usageError(
        `${words}: --status takes the id that \`forget\` printed${kind === "company" ? ", or the domain" : ""}`,
      );
    }
    const here = await records.remains(target);
    const copies = hasBucket ? await copiesIn(context, target) : undefined;
    const left = [
      ...(here.files > 0 ? [countOf(here.files, "file")] : []),
      ...(here.aside > 0 ? [`${countOf(here.aside, "file")} that were set aside`] : []),
      ...(here.datagrams > 0
        ? [
            `${countOf(here.datagrams, "datagram")} here, which the next checkpoint removes, or forgetting it again`,
          ]
        : []),
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

/** Its name is in no index any more: its id, or a key that its id was made from. */
async function forgottenTarget(
  ledger: { read(target: string): Promise<{ readonly isForgotten: boolean }> },
  kind: RecordKind,
  name: string,
): Promise<string> {
  const given = name.startsWith(`${kind}/`) ? name : `${kind}/${name}`;
  const ids = kind === "company" ? idsOfName(name) : [];
  for (const target of [given, ...ids.map((id) => `${kind}/${id}`)]) {
    if ((await ledger.read(target)).isForgotten) return target;
  }
  return given;
}

export const companyForget = forgetCommand("company");
export const personForget = forgetCommand("person");
