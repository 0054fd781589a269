import { countOf } from "../../../base/text/count-words.ts";
import { removeSuppressed } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { countryOption, readKeys, valueArgument } from "./read-keys.ts";

export const suppressRemove: Command = {
  needs: "settings",
  arguments: [valueArgument],
  options: [countryOption, sourceOption],
  examples: [
    { line: "forager suppress remove anna@acme.example", summary: "allow it to be used again" },
  ],
  details: [
    "Takes the value itself, because the list knows only hashes. Forgotten records stay suppressed:\n" +
      "`forager company forget ID --undo` undoes that. Exits 1 if none of the values was listed.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const keys = readKeys(args, textFlag(flags, "country"));
    await using node = await openNodeOf(context);
    await using _state = await context.recordState(async () => ({ listed: (await node.ledger.suppressed(keys)).length })); // prettier-ignore
    const removed = await removeSuppressed(node.ledger, { keys, source: sourceOf(context) });
    out.result({ removed }, `${countOf(removed, "entry")} removed`);
    return removed === 0 ? "failed" : undefined;
  },
};
