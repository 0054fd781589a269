import { basename } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { countOf, formatCount } from "../../../base/text/count-words.ts";
import { systemRandom } from "../../../base/random.ts";
import { toOneLine } from "../../../base/text/terminal-text.ts";
import { asUsage } from "../../../base/usage-error.ts";
import {
  countSuppressed,
  importOptOuts,
  suppressionKinds,
  type OptOutImport,
  type SuppressionKind,
} from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";
import { openSource, type ImportSource } from "../queue/import/import-source.ts";
import { countryOption } from "./read-keys.ts";

export const suppressImport: Command = {
  needs: "settings",
  arguments: [
    { name: "file", summary: "a CSV file, or one value per line; - reads standard input" },
  ],
  options: [
    { flag: "--kind", value: "kind", summary: "only use columns of this kind", choices: suppressionKinds, isRepeated: true }, // prettier-ignore
    { flag: "--reason", value: "text", summary: "kept with each entry (default: the file's name)" },
    countryOption,
    { flag: "--dry-run", summary: "only show what would be done" },
    sourceOption,
  ],
  examples: [
    { line: "forager suppress import unsubscribed.csv --dry-run", summary: "show which columns would be used" }, // prettier-ignore
    { line: "forager suppress import unsubscribed.csv --country US", summary: "a CRM's opt-out list" }, // prettier-ignore
    { line: "forager suppress import customers.csv --kind domain", summary: "do not search for our own customers" }, // prettier-ignore
  ],
  details: [
    "Columns are found by their header: e-mail addresses, phone numbers, ids of places. Domains are taken\n" +
      "only if no column has addresses, or with --kind domain: one person's opt-out does not apply to the whole\n" +
      "company. Lines whose column such as 'Unsubscribed' or 'Do not call' says no are left out.",
    "It can be repeated: after Ctrl-C or a crash run it again; listed values count as known.\n" +
      "Exit code 3 if lines without a readable value were left out; 1 if all lines were.",
  ],

  async run(context) {
    const { args, flags, out, stdin, cwd, signal } = context;
    const name = args[0]!;
    const label = name === "-" ? "standard input" : name;
    const isDryRun = flags["dryRun"] === true;
    await using file = await openSource({ name, cwd, stdin, signal });
    await using node = await openNodeOf(context);
    await using _state = await context.recordState(async () => ({ listed: await countSuppressed(node.ledger) })); // prettier-ignore
    const report = await asUsage(() =>
      importOptOuts({
        ledger: node.ledger,
        text: textOf(file),
        source: sourceOf(context),
        reason: textFlag(flags, "reason") ?? `file ${basename(label)}`,
        country: textFlag(flags, "country"),
        kinds: flags["kind"] as readonly SuppressionKind[] | undefined,
        isDryRun,
        random: systemRandom,
        signal,
      }),
    );
    out.result({ file: label, isDryRun, ...report }, () => wordsOf(label, report, isDryRun));
    if (report.isStopped) {
      out.note("stopped: run the same import again to continue");
      throw new AppError("aborted", "import_stopped", "the import was stopped");
    }
    if (report.faulty === 0) return undefined;
    return report.faulty === report.lines ? "failed" : "partial";
  },
};

async function* textOf(file: ImportSource): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of file.read()) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function wordsOf(label: string, report: OptOutImport, isDryRun: boolean): string {
  const { lines, added, known, notOptedOut, faulty, problems, columns, unused } = report;
  const counts = [
    `${formatCount(added)} ${isDryRun ? "would be added" : "added"}`,
    `${formatCount(known)} known`,
    ...(notOptedOut > 0 ? [`${countOf(notOptedOut, "line")} not opted out`] : []),
    ...(faulty > 0 ? [`${countOf(faulty, "line")} left out`] : []),
  ];
  return [
    `${label}: ${countOf(lines, "line")}, ${counts.join(", ")}`,
    ...Object.entries(columns).map(([header, kind]) => `  ${toOneLine(header)} → ${kind}`),
    ...(unused.length > 0 ? [`  not used: ${toOneLine(unused.join(", "))}`] : []),
    ...problems.map(({ line, text }) => `  line ${line}: ${toOneLine(text)}`),
    ...(faulty > problems.length ? [`  and ${formatCount(faulty - problems.length)} more`] : []),
  ].join("\n");
}
