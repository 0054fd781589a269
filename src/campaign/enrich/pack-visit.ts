import type { RobotsNote, RobotsRule, Visit, VisitPage } from "../../crawl/index.ts";

/** Of each: a payload holds 256 KiB, and a visit five origins at most. */
export const notesBytesMax = 24_000;
export const pagesBytesMax = 64_000;

/** A visit small enough to travel. What is left out only ever means that less is asked for. */
export function packVisit(visit: Visit): Visit {
  const robotsByOrigin = Object.fromEntries(
    Object.entries(visit.robotsByOrigin).map(([origin, note]) => [
      origin,
      note === "asked" ? note : packNote(note),
    ]),
  );
  return { ...visit, robotsByOrigin, pages: packPages(visit.pages) };
}

/** Those that were decided stay, so that none is asked for twice; of the waiting the best. */
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
 * Rules that are too many to carry become fewer and stricter: without those that allow, a shorter
 * pattern forbids all that the longer one did. Sitemaps are planned for already.
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
