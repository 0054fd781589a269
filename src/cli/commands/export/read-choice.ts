import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ExportOptions } from "../../../app/index.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { membershipOf, openCampaignFolder, type Membership } from "../../../campaign/index.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import {
  joinSuppressions,
  ledgerSuppression,
  readSuppressFile,
  type Suppression,
} from "../../../records/index.ts";
import { openDataNames } from "../../../sources/index.ts";
import type { OptionSpec, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { filterOptions, readFilters } from "../company/parts/filter-options.ts";

/** Options that choose the companies and the data of an export. */
export const choiceOptions: readonly OptionSpec[] = [
  { flag: "--campaign", value: "name", summary: "only companies of this campaign", complete: "campaign" }, // prettier-ignore
  {
    flag: "--words",
    value: "words",
    summary: "only companies that a search for these words finds",
  },
  ...filterOptions("company").filter(({ flag }) => flag !== "--included"),
  { flag: "--with-excluded", summary: "also excluded companies" },
  { flag: "--without", value: "data", summary: "leave out values that come from this open data alone", choices: openDataNames, isRepeated: true }, // prettier-ignore
  { flag: "--suppress", value: "file", summary: "file of addresses and domains to leave out, one per line", isRepeated: true, complete: "file" }, // prettier-ignore
];

export type ExportChoice = Pick<
  ExportOptions<unknown>,
  "records" | "query" | "membership" | "without" | "suppressed" | "legal" | "signal"
>;

/** Reads the options, and reports wrong ones before the data folder is opened. */
export async function readChoice(
  context: SettingsContext,
): Promise<(reader: Pick<NodeReadApi, "records" | "ledger">) => ExportChoice> {
  const { flags, signal, settings } = context;
  const fromFiles = await readSuppressed(context);
  const campaign = textFlag(flags, "campaign");
  const membership = campaign === undefined ? undefined : await membershipIn(context, campaign);
  const query = readQuery(context);
  const names = new Set((flags["without"] as readonly string[] | undefined) ?? []);
  return ({ records, ledger }) => ({
    records,
    query,
    membership,
    without: { ledger, names },
    suppressed: joinSuppressions([ledgerSuppression(ledger), fromFiles]),
    legal: settings.legal,
    signal,
  });
}

const membershipIn = async ({ paths }: SettingsContext, name: string): Promise<Membership> =>
  membershipOf(await asUsage(() => openCampaignFolder(paths).load(name)));

function readQuery(context: SettingsContext): ExportOptions<unknown>["query"] {
  const { flags, clock } = context;
  const words = textFlag(flags, "words");
  const filters = readFilters(flags, clock.nowMs());
  const isAll = flags["withExcluded"] === true || filters.isExcluded === true;
  return {
    filters: isAll ? filters : { ...filters, isExcluded: false },
    ...(words !== undefined && { words }),
  };
}

async function readSuppressed({ flags, cwd }: SettingsContext): Promise<Suppression> {
  const names = (flags["suppress"] as readonly string[] | undefined) ?? [];
  const texts = await Promise.all(
    names.map((name) =>
      readFile(resolve(cwd, name), "utf8").catch((cause: NodeJS.ErrnoException) => {
        const why = cause.code === "ENOENT" ? "there is no such file" : cause.message;
        throw usageError(`--suppress ${name} cannot be read: ${why}`, { cause });
      }),
    ),
  );
  const { list, problems } = readSuppressFile(texts.join("\n"));
  if (problems[0] === undefined) return list;
  throw usageError(
    `the suppression list has an invalid line: ${problems[0]}; nothing was exported`,
  );
}
