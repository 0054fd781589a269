import type { DuplicatePair } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import { openReaderOf } from "../../frame/node-context.ts";

export const companyDuplicates: Command = {
  needs: "settings",
  options: [{ flag: "--limit", value: "count", summary: "maximum number of pairs", default: "50" }],
  examples: [
    { line: "forager company duplicates", summary: "companies that may be the same, and why" },
    { line: "forager company merge acme-2 acme", summary: "merge them" },
    { line: "forager company distinct acme-2 acme", summary: "they are different companies" },
  ],
  details: [
    "Certain pairs come first: `forager company resolve` merges those. The others need a decision: the same\n" +
      "phone, a similar name, or the same website are evidence, not proof.",
  ],

  async run(context) {
    const { flags, out } = context;
    const limit = parseCount("limit", textFlag(flags, "limit") ?? "50");
    await using reader = await openReaderOf(context);
    const pairs = await reader.records.duplicatePairs({ limit });
    out.table<DuplicatePair>(pairs, [
      { title: "sure", value: ({ verdict }) => (verdict === "same" ? "yes" : "no") },
      { title: "from", value: ({ from }) => from.slug, isNeverCut: true },
      { title: "into", value: ({ into }) => into.slug, isNeverCut: true },
      { title: "name", value: ({ evidence }) => evidence.name.toFixed(2) },
      {
        title: "metres",
        value: ({ evidence }) => evidence.distanceM === undefined ? "" : String(evidence.distanceM),
      },
      { title: "same", value: ({ evidence }) => sharedOf(evidence).join(", ") },
    ]); // prettier-ignore
  },
};

const sharedOf = ({ phone, domain, sameAddress }: DuplicatePair["evidence"]): readonly string[] => [
  ...(phone === undefined ? [] : [phone]),
  ...(domain === undefined ? [] : [domain]),
  ...(sameAddress ? ["address"] : []),
];
