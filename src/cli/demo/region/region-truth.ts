import type { PageTruth } from "./page-html.ts";
import type { Site } from "./site.ts";

/** What is to be known of a business after a polite visit without a browser. */
export interface SiteTruth {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly socials: readonly string[];
}

const levels = ["off", "simple", "all"] as const;

export function truthOf(
  { outcome, pages }: Site,
  deobfuscate: PageTruth["emails"][number]["level"],
): SiteTruth {
  if (outcome !== "done") return { emails: [], phones: [], socials: [] };
  const truths = pages.map(({ truth }) => truth);
  const isWithin = (level: PageTruth["emails"][number]["level"]) =>
    levels.indexOf(level) <= levels.indexOf(deobfuscate);
  return {
    emails: unique(
      truths.flatMap(({ emails }) =>
        emails.filter(({ level }) => isWithin(level)).map(({ value }) => value),
      ),
    ),
    phones: unique(truths.flatMap(({ phones }) => phones)),
    socials: unique(truths.flatMap(({ socials }) => socials)),
  };
}

/** How much of the truth was found, and how much of what was found is true. */
export interface Score {
  readonly recall: number;
  readonly precision: number;
  readonly f1: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/** Pairs of sets, one for each page or site; counted over all of them. */
export function scoreOf(
  pairs: readonly { readonly truth: readonly string[]; readonly found: readonly string[] }[],
): Score {
  const missed = pairs.flatMap(({ truth, found }) => truth.filter((one) => !found.includes(one)));
  const wrong = pairs.flatMap(({ truth, found }) => found.filter((one) => !truth.includes(one)));
  const all = pairs.reduce((sum, { truth }) => sum + truth.length, 0);
  const right = all - missed.length;
  const recall = all === 0 ? 1 : right / all;
  const precision = right + wrong.length === 0 ? 1 : right / (right + wrong.length);
  const f1 = recall + precision === 0 ? 0 : (2 * recall * precision) / (recall + precision);
  return { recall, precision, f1, missed, wrong };
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];
