import { wordsOf } from "../../base/text/fold-text.ts";

/**
 * The first character of a term that is a fact for filters. Words are only letters and digits, so
 * none begins with it.
 */
export const factMark = "¦";

const factLengthMax = 500;

/** `¦city¦san¦marcos`: a value that a record has. */
export const factTerm = (name: string, value: string): string =>
  [factMark + name, ...wordsOf(value)].join(factMark).slice(0, factLengthMax);

/** `¦email¦yes`: whether a record has something. */
export const flagTerm = (name: string, isSo: boolean): string =>
  `${factMark}${name}${factMark}${isSo ? "yes" : "no"}`;
