/**
 * robots.txt by RFC 9309, over bytes. Invariants:
 * - it never throws, and takes time in proportion to the file;
 * - the groups that name us count, joined; otherwise those of `*`, joined; otherwise everything is
 *   allowed. An empty group that names us allows everything, whatever `*` says;
 * - unknown lines, and those of other records (Crawl-delay, Sitemap), neither end a group nor begin
 *   one.
 */
import { patternOf } from "./robots-path.ts";

/** The rules of a file for one crawler. Plain data: it can be stored and sent. */
export interface Robots {
  /** Longest pattern first; of equal length, `allow` first. So the first match decides. */
  readonly rules: readonly RobotsRule[];
  readonly crawlDelayMs?: number;
  /** As written; they apply to all crawlers. */
  readonly sitemaps: readonly string[];
}

export interface RobotsRule {
  readonly allow: boolean;
  /** Normalised: see `patternOf`. */
  readonly pattern: string;
}

export const robotsAllowAll: Robots = { rules: [], sitemaps: [] };
export const robotsDisallowAll: Robots = { rules: [{ allow: false, pattern: "/" }], sitemaps: [] };

/** The RFC requires at least this limit; the rest of a longer file is ignored. */
export const robotsBytesMax = 500 * 1024;
/** The limit of one line. Longer ones are cut, as other crawlers do. */
const lineBytesMax = 16_664;
const sitemapsMax = 100;
const sitemapCharsMax = 2_048;
const crawlDelayMsMax = 86_400_000;

interface Group {
  readonly rules: RobotsRule[];
  crawlDelayMs?: number;
  isOurs: boolean;
  isEverybodys: boolean;
}

/** `token`: our name in robots.txt, without a version. */
export function parseRobots(bytes: Uint8Array, token: string): Robots {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let group: Group | undefined;
  let hasRules = false;

  for (const line of linesOf(bytes)) {
    const { key, value } = keyAndValue(line);
    switch (keyNames.get(key)) {
      case "agent":
        if (!group || hasRules) {
          group = { rules: [], isOurs: false, isEverybodys: false };
          groups.push(group);
          hasRules = false;
        }
        if (isEverybody(value)) group.isEverybodys = true;
        else if (agentToken(value) === token.toLowerCase()) group.isOurs = true;
        break;
      case "allow":
      case "disallow": {
        if (!group) break; // rules before the first agent belong to no group
        hasRules = true;
        const pattern = patternOf(value);
        if (pattern !== "") group.rules.push({ allow: keyNames.get(key) === "allow", pattern });
        break;
      }
      case "delay":
        if (group) setDelay(group, value);
        break;
      case "sitemap":
        if (sitemaps.length < sitemapsMax && value.length <= sitemapCharsMax) {
          sitemaps.push(Buffer.from(value, "latin1").toString("utf8"));
        }
        break;
      case undefined:
        break;
    }
  }

  const ours = groups.filter(({ isOurs }) => isOurs);
  const chosen = ours.length > 0 ? ours : groups.filter(({ isEverybodys }) => isEverybodys);
  const rules = chosen.flatMap((one) => one.rules).sort(longestFirst);
  const delays = chosen.flatMap(({ crawlDelayMs }) => crawlDelayMs ?? []);
  return {
    rules,
    sitemaps: [...new Set(sitemaps)],
    ...(delays.length > 0 && { crawlDelayMs: Math.max(...delays.slice(0, 1_000)) }),
  };
}

const longestFirst = (a: RobotsRule, b: RobotsRule): number =>
  b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow);

/** Includes common misspellings with a clear meaning. */
const keyNames = new Map<string, "agent" | "allow" | "disallow" | "delay" | "sitemap">([
  ["user-agent", "agent"],
  ["useragent", "agent"],
  ["user agent", "agent"],
  ["allow", "allow"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["crawl-delay", "delay"],
  ["crawldelay", "delay"],
  ["crawl delay", "delay"],
  ["sitemap", "sitemap"],
  ["site-map", "sitemap"],
]);

/** One character per byte, so that no byte can break the parsing. */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const end = Math.min(bytes.length, robotsBytesMax);
  let at = 0;
  for (const mark of [0xef, 0xbb, 0xbf]) if (bytes[at] === mark) at += 1; // also a truncated mark
  while (at < end) {
    let stop = at;
    while (stop < end && bytes[stop] !== 10 && bytes[stop] !== 13) stop += 1;
    if (stop > at) {
      const until = Math.min(stop, at + lineBytesMax);
      yield Buffer.from(bytes.buffer, bytes.byteOffset + at, until - at).toString("latin1");
    }
    at = stop + 1;
  }
}

function keyAndValue(line: string): { readonly key: string; readonly value: string } {
  const hash = line.indexOf("#");
  const text = trim(hash === -1 ? line : line.slice(0, hash));
  const colon = text.indexOf(":");
  if (colon !== -1) {
    return { key: trim(text.slice(0, colon)).toLowerCase(), value: trim(text.slice(colon + 1)) };
  }
  // A missing colon, if the line has exactly two words.
  const words = text.split(/[ \t]+/, 3);
  return words.length === 2
    ? { key: words[0]!.toLowerCase(), value: words[1]! }
    : { key: "", value: "" };
}

/** Without a regular expression: `\s+$` is quadratic on a line of spaces. */
function trim(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0;

const isEverybody = (value: string): boolean =>
  value.startsWith("*") && (value.length === 1 || isSpace(value.charCodeAt(1)));

/** A version or other text after the name is ignored: "Forager/2.0" names forager. */
function agentToken(value: string): string {
  let end = 0;
  while (end < value.length && /[A-Za-z_-]/.test(value[end]!)) end += 1;
  return value.slice(0, end).toLowerCase();
}

function setDelay(group: Group, value: string): void {
  if (!/^\d{1,6}(?:\.\d{1,6})?$|^\.\d{1,6}$/.test(value)) return;
  const ms = Math.min(Math.ceil(Number(value) * 1_000), crawlDelayMsMax);
  group.crawlDelayMs = Math.max(group.crawlDelayMs ?? 0, ms);
}
