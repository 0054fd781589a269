import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { NodeReadApi } from "../../../node/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import { extractorVersion } from "../../../campaign/index.ts";
import { normalDomain, pageLimitMax, type Company } from "../../../records/index.ts";
import type { Flags, SettingsContext } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { readFilters } from "../company/parts/filter-options.ts";

/** How companies are chosen, and the default name of the batch. */
export interface Choice {
  readonly label: string;
  readonly isWanted: (company: Company) => boolean;
  readonly listFile?: string;
}

export function choiceOf({ flags, clock, cwd }: SettingsContext): Choice {
  const [stale, list] = [textFlag(flags, "stale"), textFlag(flags, "list")];
  const missing = flags["missing"] as readonly string[] | undefined;
  const isOutdated = flags["outdated"] === true;
  const ways = [missing, stale, list, isOutdated || flags["all"] === true ? true : undefined];
  if (ways.every((way) => way === undefined)) {
    throw usageError(
      "which companies? give --missing email, --stale 30d, --outdated, --list FILE or --all",
    );
  }
  const listFile = list === undefined ? {} : { listFile: resolve(cwd, list) };
  const isOld = ({ visit }: Company) => visit !== undefined && visit.version < extractorVersion;
  if (stale === undefined) {
    const whole = isOutdated ? "outdated" : "all";
    const label = missing ? `missing-${missing.join("-")}` : list === undefined ? whole : "list";
    return { label, isWanted: isOutdated ? isOld : () => true, ...listFile };
  }
  const untilMs = clock.nowMs() - parseDuration("stale", stale);
  const isWanted = (company: Company) => {
    const { enrichedAt } = company.texts;
    const isStale = enrichedAt === undefined || Date.parse(enrichedAt) <= untilMs;
    return isStale && (!isOutdated || isOld(company));
  };
  return { label: `stale-${stale.replaceAll(".", "-")}`, isWanted, ...listFile };
}

export interface Chosen {
  readonly companies: readonly Company[];
  /** Lines of the list that match no company. */
  readonly unknown: readonly string[];
}

export async function chooseCompanies(
  context: SettingsContext,
  opened: NodeReadApi,
  { isWanted, listFile }: Choice,
): Promise<Chosen> {
  if (listFile !== undefined) {
    const { companies, unknown } = await readList(opened, listFile);
    return { companies: companies.filter(isWanted), unknown };
  }
  const companies: Company[] = [];
  for await (const company of searchAll(context, opened)) {
    if (isWanted(company)) companies.push(company);
  }
  return { companies, unknown: [] };
}

async function* searchAll(
  { flags, clock }: SettingsContext,
  { records }: NodeReadApi,
): AsyncGenerator<Company> {
  const filters = withoutExcluded(readFilters(flags, clock.nowMs()), flags);
  let after: string | undefined;
  do {
    const cursor = after === undefined ? {} : { after };
    const page = await records.search({ kind: "company", filters, limit: pageLimitMax, ...cursor });
    for (const row of page.rows) if (row.kind === "company") yield row.company;
    after = page.next;
  } while (after !== undefined);
}

/** Leaves out excluded companies unless the flags select them. */
const withoutExcluded = (filters: ReturnType<typeof readFilters>, flags: Flags) =>
  flags["excluded"] === true ? filters : { ...filters, isExcluded: false };

async function readList({ records }: NodeReadApi, file: string): Promise<Chosen> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw usageError(`the list ${file} cannot be read`, { cause });
  });
  const names = [...new Set(text.split(/\r?\n/).map((line) => line.trim()))].filter(Boolean);
  const find = async (name: string) => {
    const target =
      (await records.resolve("company", name)) ?? (await records.byDomain(normalDomain(name)))[0];
    const row = target === undefined ? undefined : await records.find(target);
    return row?.kind === "company" ? row.company : undefined;
  };
  const found: (Company | undefined)[] = [];
  for (const name of names) found.push(await find(name));
  return {
    companies: found.filter((company) => company !== undefined),
    unknown: names.filter((_, at) => found[at] === undefined),
  };
}
