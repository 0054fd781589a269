import { hasFleetBucket } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Copies } from "../../../ledger/index.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { copiesIn, copiesLeft, forgetInFleet } from "./forget-in-bucket.ts";

export const ledgerForget: Command = {
  needs: "settings",
  arguments: [{ name: "target", summary: "such as company/1a2b" }],
  options: [
    { flag: "--undo", summary: "accept new writes again" },
    { flag: "--yes", summary: "do not ask" },
    { flag: "--status", summary: "only show where copies remain" },
    sourceOption,
    bucketOption,
  ],
  examples: [
    {
      line: "forager ledger forget company/1a2b",
      summary: "here, and in the bucket if one is set",
    },
    { line: "forager ledger forget company/1a2b --status", summary: "where copies remain" },
  ],
  details: [
    "Irreversible: all its writes are deleted from this node's journal and from the\n" +
      "archive, and a checkpoint is made without it. Older checkpoints and segments go with the next\n" +
      "prunes. Hashes of its domain, place and e-mail addresses stay, so that crawls leave it alone.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const target = args[0]!;
    const source = sourceOf(context);
    if (flags["status"] === true) {
      await using reader = await openReaderOf(context);
      return await printCopies(context, reader.ledger, target);
    }
    await using node = await openNodeOf(context);
    const { ledger } = node;
    if (flags["undo"] === true) {
      const { datagrams } = await asUsage(() => ledger.unforget({ target, source }));
      const isUndone = datagrams.length > 0;
      const words = isUndone ? `${target} is no longer forgotten` : `${target} was not forgotten`;
      return out.result({ target, isUndone }, words);
    }
    const question = `forget ${target}? this cannot be undone`;
    if (!(await context.confirm(question, { yes: flags["yes"] === true }))) {
      out.note("nothing was forgotten");
      return "failed";
    }
    await asUsage(() => ledger.forget({ target, source }));
    if (hasFleetBucket(fleetOf(context))) await forgetInFleet(context, ledger);
    await printCopies(context, ledger, target);
  },
};

/** Reports where copies of a target remain. */
async function printCopies(
  context: SettingsContext,
  ledger: NodeReadApi["ledger"],
  target: string,
): Promise<void> {
  const { isForgotten } = await ledger.read(target);
  const hasBucket = hasFleetBucket(fleetOf(context));
  const copies = hasBucket ? await copiesIn(context, target) : undefined;
  const here = await ledger.unscrubbed();
  const words = wordsOf(target, isForgotten, here, copies);
  context.out.result({ target, isForgotten, here, ...copies }, words);
}

function wordsOf(target: string, isForgotten: boolean, here: number, copies: Copies | undefined) {
  if (!isForgotten) return `${target} is not forgotten`;
  const left = [
    ...(here > 0
      ? [
          `${countOf(here, "datagram")} here: they go with the next checkpoint, or if you forget it again`,
        ]
      : []),
    ...(copies ? copiesLeft(copies) : []),
  ];
  const where = copies ? "here and in the bucket" : "here (no bucket was looked at)";
  return left.length === 0
    ? `${target} is forgotten; no copy remains ${where}`
    : `${target} is forgotten; copies remain: ${left.join("; ")}`;
}
