import { countOf } from "../../../base/text/count-words.ts";
import { systemRandom } from "../../../base/random.ts";
import { addSuppressed } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { countryOption, readKeys, valueArgument } from "./read-keys.ts";

export const suppressAdd: Command = {
  needs: "settings",
  arguments: [valueArgument],
  options: [
    {
      flag: "--reason",
      value: "text",
      summary: "a reason, stored with the entry and readable by all nodes",
    },
    countryOption,
    sourceOption,
  ],
  examples: [
    { line: "forager suppress add anna@acme.example --reason 'asked on the phone'", summary: "this address" }, // prettier-ignore
    { line: "forager suppress add acme.example +4989123456 osm/node/1", summary: "a company by its domain, a number, a place" }, // prettier-ignore
  ],
  details: [
    "The list holds salted hashes and is shared by all nodes. A company whose domain or place is listed is\n" +
      "not discovered, not visited and not exported; a listed address or number is not stored and not\n" +
      "exported. An address is also listed by its domain. Stored values remain until\n" +
      "`forager company forget` deletes them, but are left out of exports.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const keys = readKeys(args, textFlag(flags, "country"));
    const reason = textFlag(flags, "reason");
    await using node = await openNodeOf(context);
    await using _state = await context.recordState(async () => ({ listed: (await node.ledger.suppressed(keys)).length })); // prettier-ignore
    const { added, known } = await addSuppressed(node.ledger, {
      keys,
      source: sourceOf(context),
      random: systemRandom,
      ...(reason !== undefined && { reason }),
    });
    const words = [countOf(added, "entry"), "added"].join(" ");
    out.result({ added, known }, known > 0 ? `${words}, ${known} known` : words);
  },
};
