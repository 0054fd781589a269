import { usageError } from "../../../../base/usage-error.ts";
import { emailStatuses, pageLimitMax, recordSorts } from "../../../../records/index.ts";
import type {
  EmailStatusName,
  RecordFilters,
  RecordQuery,
  RecordSort,
} from "../../../../records/index.ts";
import type { Flags, OptionSpec } from "../../../frame/command.ts";
import { listFlag, parseCount, textFlag } from "../../../options/flags.ts";
import { pageOption } from "../../../terminal/list-page.ts";
import { parseMoment } from "./parse-moment.ts";

const personOptions: readonly OptionSpec[] = [
  { flag: "--tag", value: "tag", summary: "only with this tag", isRepeated: true },
  { flag: "--city", value: "city", summary: "only there" },
  { flag: "--state", value: "state", summary: "only there" },
  { flag: "--country", value: "country", summary: "only there" },
  { flag: "--has", value: "what", summary: "only records that have this", choices: ["email", "phone", "domain", "callback"], isRepeated: true }, // prettier-ignore
  { flag: "--missing", value: "what", summary: "only records that lack this", choices: ["email", "phone", "domain", "callback"], isRepeated: true }, // prettier-ignore
  { flag: "--email-status", value: "status", summary: "only with an address of this status", choices: emailStatuses }, // prettier-ignore
  { flag: "--changed-since", value: "moment", summary: "with something written since: 7d, or a date" }, // prettier-ignore
];

const companyOptions: readonly OptionSpec[] = [
  { flag: "--category", value: "category", summary: "only of this category", isRepeated: true },
  { flag: "--type", value: "type", summary: "only of this type" },
  { flag: "--tech", value: "name", summary: "only websites that use this technology" },
  { flag: "--rating-min", value: "number", summary: "with this rating at least" },
  { flag: "--reviews-min", value: "count", summary: "with at least this many reviews" },
  { flag: "--excluded", summary: "only excluded companies" },
  { flag: "--included", summary: "without excluded companies" },
];

export const filterOptions = (kind: RecordQuery["kind"]): readonly OptionSpec[] =>
  kind === "company" ? [...personOptions, ...companyOptions] : personOptions;

export const pageOptions: readonly OptionSpec[] = [
  { flag: "--limit", value: "count", summary: `how many, up to ${pageLimitMax}`, default: "50" },
  { flag: "--all", summary: "all records; --json is then a list of rows" },
  pageOption,
  { flag: "--after", value: "cursor", summary: "continue after this page" },
  { flag: "--sort", value: "order", summary: "the order of the rows", choices: recordSorts },
];

export function readFilters(flags: Flags, nowMs: number): RecordFilters {
  const has = listFlag(flags, "has") ?? [];
  const missing = listFlag(flags, "missing") ?? [];
  const asked = (what: string) => {
    if (has.includes(what) && missing.includes(what)) {
      throw usageError(`--has and --missing ${what} exclude each other: give one of them`);
    }
    return has.includes(what) ? true : missing.includes(what) ? false : undefined;
  };
  if (flags["excluded"] === true && flags["included"] === true) {
    throw usageError("--excluded and --included exclude each other: give one of them");
  }
  const changedSince = textFlag(flags, "changedSince");
  const filters: { readonly [name in keyof RecordFilters]: RecordFilters[name] | undefined } = {
    tag: listFlag(flags, "tag"),
    category: flags["category"] as readonly string[] | undefined,
    city: textFlag(flags, "city"),
    state: textFlag(flags, "state"),
    country: textFlag(flags, "country"),
    type: textFlag(flags, "type"),
    tech: textFlag(flags, "tech"),
    hasEmail: asked("email"),
    emailStatus: textFlag(flags, "emailStatus") as EmailStatusName | undefined,
    hasPhone: asked("phone"),
    hasDomain: asked("domain"),
    hasCallback: asked("callback"),
    isExcluded: flags["excluded"] === true ? true : flags["included"] === true ? false : undefined,
    changedSince:
      changedSince === undefined
        ? undefined
        : parseMoment("--changed-since", changedSince, { nowMs, direction: "past" }),
    ratingMin: numberFlag(flags, "ratingMin", "--rating-min"),
    reviewsMin: numberFlag(flags, "reviewsMin", "--reviews-min"),
  };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as RecordFilters;
}

export function readPage(flags: Flags): Pick<RecordQuery, "limit" | "after" | "sort"> {
  const limit = parseCount("limit", textFlag(flags, "limit") ?? "50");
  if (limit > pageLimitMax) {
    throw usageError(`--limit takes at most ${pageLimitMax}: use --after for the next rows`);
  }
  const [after, sort] = [textFlag(flags, "after"), textFlag(flags, "sort")];
  return {
    limit,
    ...(after !== undefined && { after }),
    ...(sort !== undefined && { sort: sort as RecordSort }),
  };
}

function numberFlag(flags: Flags, name: string, flag: string): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw usageError(`${flag} takes a number such as 4.5, not '${text}'`);
}
