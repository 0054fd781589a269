import { crawlBudget, type CrawlPlan } from "../../../site-crawl/index.ts";
import { createId } from "../../../base/ids.ts";
import { systemRandom } from "../../../base/random.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Settings } from "../../../config/index.ts";
import { canonicalUrl } from "../../../crawl/index.ts";
import type { Flags, OptionSpec } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { parseCount, textFlag } from "../../options/flags.ts";

/** Options that define a crawl. With --resume the stored values apply. */
const planOptions: readonly OptionSpec[] = [
  { flag: "--include", value: "glob", summary: "only pages whose path matches: /blog/**", isRepeated: true }, // prettier-ignore
  { flag: "--exclude", value: "glob", summary: "no pages whose path matches", isRepeated: true }, // prettier-ignore
  { flag: "--pages", value: "count", summary: `maximum number of pages per site (default: ${crawlBudget.pages})` }, // prettier-ignore
  { flag: "--depth", value: "count", summary: `maximum number of clicks from the start (default: ${crawlBudget.depth})` }, // prettier-ignore
  { flag: "--time", value: "time", summary: "maximum time per site (default: 1h)" },
  { flag: "--bytes", value: "count", summary: "maximum number of bytes per site (default: 500 MiB)" }, // prettier-ignore
  {
    flag: "--delay",
    value: "time",
    summary: "pause between two requests to a host (default: crawl.delayMs)",
  },
  { flag: "--sitemap", summary: "also pages of the site's sitemaps" },
];

export const crawlOptions: readonly OptionSpec[] = [
  ...planOptions,
  { flag: "--contact", value: "address", summary: "mailbox or page by which site owners can reach you" }, // prettier-ignore
  { flag: "--allow-address", value: "network", summary: "allow this private network: 127.0.0.1", isRepeated: true }, // prettier-ignore
  { flag: "--resume", summary: "continue an interrupted crawl" },
  { flag: "--anew", summary: "drop the unfinished crawl of the same site" },
  { flag: "--format", value: "format", summary: "output format of the pages", choices: ["table", "csv", "json"], default: "table" }, // prettier-ignore
  { flag: "--to", value: "file", summary: "write the pages to this file", complete: "file" },
];

const hasScheme = (site: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(site);

/** Accepts a bare host name: https is tried first, then http if the host does not support TLS. */
export function startUrl(site: string): string {
  const text = hasScheme(site) ? site : `https://${site}`;
  const url = canonicalUrl(text);
  if (url !== undefined) return url;
  throw usageError(
    `'${site}' is not a site: write a host or an address such as https://example.org/`,
  );
}

/** The start URLs of crawls for a site that was given in this form. */
export const startsOf = (site: string): readonly string[] =>
  hasScheme(site) ? [startUrl(site)] : [startUrl(site), startUrl(`http://${site}`)];

export interface PlanOptions {
  readonly flags: Flags;
  readonly settings: Settings;
  readonly nowMs: number;
}

export function planOf(site: string, { flags, settings, nowMs }: PlanOptions): CrawlPlan {
  const start = startUrl(site);
  const startedAt = new Date(nowMs).toISOString();
  const { pages, depth, seconds, bytes } = crawlBudget;
  const delay = textFlag(flags, "delay");
  return {
    version: 1,
    name: nameOf(start, startedAt),
    start,
    isHttpsGuessed: !hasScheme(site),
    startedAt,
    include: globs(flags, "include"),
    exclude: globs(flags, "exclude"),
    budget: {
      pages: countFlag(flags, "pages") ?? pages,
      depth: textFlag(flags, "depth") === "0" ? 0 : (countFlag(flags, "depth") ?? depth),
      seconds: secondsFlag(flags) ?? seconds,
      bytes: countFlag(flags, "bytes") ?? bytes,
    },
    delayMs: delay === undefined ? settings.crawl.delayMs : parseDuration("delay", delay),
    isDelayAsked: delay !== undefined,
    withSitemaps: flags["sitemap"] === true,
    contact: contactOf(flags, settings),
    allowAddresses: [...allowedOf(flags, settings)],
  };
}

export function contactOf(flags: Flags, settings: Settings): string {
  const contact = textFlag(flags, "contact") ?? settings.crawl.contact;
  if (contact !== undefined) return contact;
  throw usageError(
    "missing --contact: an e-mail address or URL for site owners, sent in the User-Agent. " +
      "Pass --contact you@example.org, or set crawl.contact in the settings",
  );
}

/** Joins both lists: allowing one more network must not forbid those that the settings allow. */
export function allowedOf(flags: Flags, settings: Settings): readonly string[] {
  const set = settings.crawl.allowPrivateNetworks.split(",").filter((network) => network !== "");
  return [...set, ...((flags["allowAddress"] as readonly string[] | undefined) ?? [])];
}

/** A crawl cannot change its plan, so a resumed crawl uses the stored options. */
export function refusePlanFlags(flags: Flags): void {
  const given = planOptions.find(({ flag }) => {
    const value = flags[flag.slice(2)];
    return value !== undefined && value !== false;
  });
  if (!given) return;
  throw usageError(
    `${given.flag} is for a new crawl: --resume uses the options of the interrupted one`,
  );
}

function nameOf(start: string, startedAt: string): string {
  const host = new URL(start).host.replaceAll(/[^a-z0-9.-]/g, "_").replace(/^[._-]+/, "");
  const moment = startedAt.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${host.slice(0, 100)}-${moment}-${createId(systemRandom, 3)}`;
}

function globs(flags: Flags, name: string): string[] {
  const given = (flags[name] as readonly string[] | undefined) ?? [];
  for (const glob of given) {
    if (!/^(?:\/|\*|https?:\/\/)/i.test(glob)) {
      throw usageError(`--${name} takes a path such as /blog/** or a whole URL, not '${glob}'`);
    }
  }
  return [...given];
}

function countFlag(flags: Flags, name: string): number | undefined {
  const text = textFlag(flags, name);
  return text === undefined ? undefined : parseCount(name, text);
}

function secondsFlag(flags: Flags): number | undefined {
  const text = textFlag(flags, "time");
  if (text === undefined) return undefined;
  const ms = parseDuration("time", text);
  if (ms > 0) return ms / 1_000;
  throw usageError("--time must be greater than 0, such as 10m");
}
