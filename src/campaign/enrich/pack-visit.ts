import type { RobotsNote, RobotsRule, Visit, VisitPage } from "../../crawl/index.ts";

/** The limit for each note: a payload holds 256 KiB, and a visit has at most five origins. */
export const notesBytesMax = 24_000;
export const pagesBytesMax = 64_000;

/**
 * Reduces a visit so that it fits into a payload. What is left out only leads to fewer requests.
 */
export function packVisit(visit: Visit): Visit {
  const robotsByOrigin = Object.fromEntries(
    Object.entries(visit.robotsByOrigin).map(([origin, note]) => [
      origin,
      note === "asked" ? note : packNote(note),
    ]),
  );
  return { ...visit, robotsByOrigin, pages: packPages(visit.pages) };
}

/**
 * Keeps pages that were decided, so that none is requested twice, and the best of the waiting ones.
 */
function packPages(pages: readonly VisitPage[]): readonly VisitPage[] {
  const isWaiting = ({ state }: VisitPage) => state === "waiting";
  let left = pagesBytesMax;
  const ranked = [...pages].sort(
    (a, b) =>
      Number(isWaiting(a)) - Number(isWaiting(b)) ||
      Number(b.worth !== undefined) - Number(a.worth !== undefined) ||
      b.priority - a.priority,
  );
  const kept = new Set(
    ranked.filter((page) => {
      left -= sizeOf(page);
      return left >= 0;
    }),
  );
  return kept.size === pages.length ? pages : pages.filter((page) => kept.has(page));
}

/**
 * If there are too many rules, makes them fewer and stricter: without the rules that allow, a
 * shorter pattern forbids everything that the longer one forbids. Sitemaps are in the plan already.
 */
function packNote(note: RobotsNote): RobotsNote {
  const { robots } = note;
  let rules = robots.rules;
  for (const length of [Infinity, 64, 16, 6, 1]) {
    if (length !== Infinity) rules = stricter(rules, length);
    if (sizeOf(rules) <= notesBytesMax) break;
  }
  return { ...note, robots: { ...robots, rules, sitemaps: [] } };
}

function stricter(rules: readonly RobotsRule[], length: number): readonly RobotsRule[] {
  const patterns = rules
    .filter(({ allow }) => !allow)
    .map(({ pattern }) => (pattern.length <= length ? pattern : pattern.slice(0, length)));
  return [...new Set(patterns)]
    .sort((a, b) => b.length - a.length)
    .map((pattern) => ({ allow: false, pattern }));
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
