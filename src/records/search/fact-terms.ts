import { wordsOf } from "../../base/text/fold-text.ts";

/** Begins a term that is a fact to filter by. Words are letters and digits alone, so none begins so. */
export const factMark = "¦";

const factLengthMax = 500;

/** `¦city¦san¦marcos`: a value that a record has. */
export const factTerm = (name: string, value: string): string =>
  [factMark + name, ...wordsOf(value)].join(factMark).slice(0, factLengthMax);

/** `¦email¦yes`: whether a record has something. */
export const flagTerm = (name: string, isSo: boolean): string =>
  `${factMark}${name}${factMark}${isSo ? "yes" : "no"}`;
