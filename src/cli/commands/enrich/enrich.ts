import { websiteOf } from "../../../app/index.ts";
import { parseUrl } from "../../../base/text/parse-url.ts";
import { evaluate, openBatchFiles, sumUp, type Evaluated } from "../../../campaign/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { notePreflight } from "../../frame/preflight.ts";
import { chooseCompanies, choiceOf } from "./choose-companies.ts";
import { enrichFile } from "./enrich-file.ts";
import { visitAll } from "./visit-all.ts";
import { filterOptions } from "../company/parts/filter-options.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { countOf } from "../../../base/text/count-words.ts";

export const enrich: Command = {
  needs: "settings",
  arguments: [
    {
      name: "file",
      summary: "a CSV file of companies: visit their websites now",
      isOptional: true,
    },
  ],
  options: [
    { flag: "--output", short: "-o", value: "file", summary: "for a CSV file: the result file (default: NAME-enriched.csv)", complete: "file" }, // prettier-ignore
    { flag: "--encoding", value: "name", summary: "for a CSV file: its encoding, such as windows-1252 (default: utf-8)" }, // prettier-ignore
    { flag: "--contact", value: "contact", summary: "your e-mail address or page, sent to every site (crawl.contact)", setting: "crawl.contact" }, // prettier-ignore
    {
      flag: "--stale",
      value: "time",
      summary: "only websites not read for this long, or never: 30d",
    },
    { flag: "--outdated", summary: "only websites that were read by an older version" },
    { flag: "--list", value: "file", summary: "companies in this file: one folder, domain or target per line", complete: "file" }, // prettier-ignore
    { flag: "--all", summary: "all companies" },
    ...filterOptions("company"),
    { flag: "--batch", value: "name", summary: "name of the batch (default: the selection and the day)" }, // prettier-ignore
    { flag: "--dry-run", summary: "only count" },
    { flag: "--report", value: "batch", summary: "report the results of a batch" },
  ],
  examples: [
    {
      line: "forager enrich leads.csv -o contacts.csv --contact you@example.org",
      summary: "visit the website of each row, and write the rows with the contacts found",
    },
    { line: "forager enrich --missing email --dry-run", summary: "show how many would be visited" },
    { line: "forager enrich --missing email --city Austin", summary: "visit their websites again" },
    { line: "forager enrich --stale 30d", summary: "websites that were last read a month ago" },
    {
      line: "forager enrich --list leads.txt --batch leads",
      summary: "companies in a file; repeated, only new ones",
    },
    {
      line: "forager enrich --report leads",
      summary: "contacts found and lost, unreachable websites",
    },
  ],
  details: [
    "With a CSV file it imports the rows, visits the websites and writes the result: the rows as they\n" +
      "are, with e-mail addresses, phone numbers, profiles, and the reason if a site was not read.\n" +
      "After Ctrl-C or a crash, run it again: it skips websites that were visited. Once all were, it\n" +
      "retries those that could not be reached. Exit code 3 if some rows were not visited or\n" +
      "no website was read; the result has the reason for each website that could not be read.",
    "Otherwise it adds the visits to the queue, and `forager work` runs them. The known contacts are stored in\n" +
      "batches/NAME.jsonl for the report. It can be repeated: a company is in a batch once.",
    "Lost contacts are not on the site any more; the record keeps them. Exit code 3 if some lines of a list\n" +
      "match no company.",
  ],

  async run(context) {
    if (context.args[0] !== undefined) return enrichFile(context, context.args[0]);
    const report = textFlag(context.flags, "report");
    return report === undefined ? addBatch(context) : reportBatch(context, report);
  },
};

async function addBatch(context: SettingsContext): Promise<"partial" | void> {
  const { flags, out, clock } = context;
  const choice = choiceOf(context);
  await using opened = await openReaderOf(context);
  const { companies, unknown } = await chooseCompanies(context, opened, choice);
  const placed = companies.flatMap((company) => {
    const website = websiteOf(company);
    return website === undefined ? [] : [{ company, website }];
  });
  const counts = {
    chosen: companies.length,
    withoutWebsite: companies.length - placed.length,
    unknown,
  };
  const words = [
    countOf(companies.length, "company"),
    ...(counts.withoutWebsite > 0 ? [`${counts.withoutWebsite} without a website`] : []),
    ...(unknown.length > 0
      ? [`${unknown.length} not known: ${unknown.slice(0, 3).join(", ")}`]
      : []),
  ].join(", ");
  if (flags["dryRun"] === true) {
    out.result({ ...counts, visits: placed.length }, `${words}: ${placed.length} to visit`);
  } else {
    const at = new Date(clock.nowMs()).toISOString();
    const name = textFlag(flags, "batch") ?? `${choice.label}-${at.slice(0, 10)}`;
    await notePreflight(context, { hosts: placed.map(({ website }) => hostOf(website)) });
    const answers = await visitAll(context, opened, { name, at, placed });
    out.result(
      { ...counts, batch: name, ...answers },
      `${words}: ${answers.added} to visit as batch ${name}` +
        (answers.duplicate > 0 ? `, ${answers.duplicate} already in the queue` : "") +
        (answers.refused > 0 ? `, ${answers.refused} refused (see \`forager queue jobs\`)` : ""),
    );
    if (answers.refused > 0) return "partial";
  }
  if (unknown.length > 0) return "partial";
}

async function reportBatch(context: SettingsContext, name: string): Promise<void> {
  const { at, lines } = await openBatchFiles(context.paths).load(name);
  await using opened = await openReaderOf(context);
  const all: Evaluated[] = [];
  for (const line of lines) all.push(evaluate(line, await opened.ledger.read(line.target), at));
  const sums = sumUp(all);
  const rows = [
    ["companies", sums.companies],
    ["not visited yet", sums.waiting],
    ["read", sums.read],
    ["not readable", sums.unreachable],
    ["with new contacts", sums.found],
    ["with lost contacts", sums.lost],
    ["with both", sums.changed],
    ["recovered: had no address before", sums.recovered],
    ["addresses found", sums.emailsFound],
    ["addresses lost", sums.emailsLost],
    ...Object.entries(sums.outcomes).map(([outcome, count]) => [`ended ${outcome}`, count]),
    ...Object.entries(sums.reasons).map(([reason, count]) => [`not read: ${reason}`, count]),
  ].map(([what, count]) => ({ what: String(what), count: Number(count) }));
  const columns = [
    { title: `batch ${name}`, value: ({ what }: Row) => what },
    { title: at.slice(0, 10), value: ({ count }: Row) => count },
  ];
  context.out.result({ batch: name, at, ...sums, results: all }, (layout) =>
    layout.table<Row>(rows, columns),
  );
}

interface Row {
  readonly what: string;
  readonly count: number;
}

/** For an invalid URL the visit itself reports the error. */
const hostOf = (website: string): string => parseUrl(website)?.hostname ?? website;
