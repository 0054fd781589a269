import type { PageContacts } from "./page-html.ts";
import type { Site } from "./site.ts";

/** The contact data that a polite visit without a browser must find. */
export interface ExpectedContacts {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly socials: readonly string[];
}

const levels = ["off", "simple", "all"] as const;

export function expectedOf(
  { outcome, pages }: Site,
  deobfuscate: PageContacts["emails"][number]["level"],
): ExpectedContacts {
  if (outcome !== "done") return { emails: [], phones: [], socials: [] };
  const expected = pages.map(({ expected }) => expected);
  const isWithin = (level: PageContacts["emails"][number]["level"]) =>
    levels.indexOf(level) <= levels.indexOf(deobfuscate);
  return {
    emails: unique(
      expected.flatMap(({ emails }) =>
        emails.filter(({ level }) => isWithin(level)).map(({ value }) => value),
      ),
    ),
    phones: unique(expected.flatMap(({ phones }) => phones)),
    socials: unique(expected.flatMap(({ socials }) => socials)),
  };
}

/** The share of the expected data that was found, and the share of the found data that is right. */
export interface Score {
  readonly recall: number;
  readonly precision: number;
  readonly f1: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/** Pairs of sets, one for each page or site; counted over all pairs. */
export function scoreOf(
  pairs: readonly { readonly expected: readonly string[]; readonly found: readonly string[] }[],
): Score {
  const missed = pairs.flatMap(({ expected, found }) =>
    expected.filter((one) => !found.includes(one)),
  );
  const wrong = pairs.flatMap(({ expected, found }) =>
    found.filter((one) => !expected.includes(one)),
  );
  const all = pairs.reduce((sum, { expected }) => sum + expected.length, 0);
  const right = all - missed.length;
  const recall = all === 0 ? 1 : right / all;
  const precision = right + wrong.length === 0 ? 1 : right / (right + wrong.length);
  const f1 = recall + precision === 0 ? 0 : (2 * recall * precision) / (recall + precision);
  return { recall, precision, f1, missed, wrong };
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];
