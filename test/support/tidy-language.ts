import { scanSource } from "./source-scan.ts";
import { isTypeScript, violationsOf } from "./tidy-violation.ts";
import type { Rule } from "./tidy-violation.ts";

/**
 * Figures of speech that a reader had to read twice in comments, and what to write instead. Only
 * phrases that no comment in src contains any more: add one after its last use was rewritten.
 */
export const dialect: readonly { readonly phrase: string; readonly instead: string }[] = [
  { phrase: "by and by", instead: "say what happens in each step" },
  { phrase: "can be had", instead: "can be claimed, read or used" },
  { phrase: "to be had", instead: "available" },
  { phrase: "for want of", instead: "because there is no …" },
  { phrase: "from afar", instead: "say which machine or command" },
  { phrase: "the while", instead: "meanwhile" },
  { phrase: "become ours", instead: "are translated" },
  { phrase: "in the way of the other's", instead: "conflict with" },
  { phrase: "is no news to", instead: "need not be reported" },
  { phrase: "was heard for long", instead: "no notification for a long time" },
  { phrase: "anew", instead: "again, or rebuilt" },
  { phrase: "so many", instead: "this many, or the maximum number" },
  { phrase: "for so long", instead: "for this long" },
  { phrase: "where there is", instead: "if there is" },
  { phrase: "where there are", instead: "if there are" },
  { phrase: "where nothing", instead: "if nothing" },
  { phrase: "put aside", instead: "held back, quarantined or moved away" },
  { phrase: "in hand", instead: "in flight, or running" },
  { phrase: "is no error", instead: "is not an error" },
  { phrase: "is no reason", instead: "does not cause, or does not require" },
  { phrase: "whoever", instead: "a process that, or a user who" },
  { phrase: "in vain", instead: "without a result" },
  { phrase: "what came of", instead: "the result of" },
  { phrase: "nobody can tell", instead: "it cannot be known" },
  { phrase: "given back", instead: "released, or returned" },
  { phrase: "parted by", instead: "separated by" },
];

const patterns = dialect.map(({ phrase, instead }) => ({
  // A phrase may continue on the next line of a comment.
  pattern: new RegExp(String.raw`\b${phrase.replaceAll(" ", String.raw`[\s*/]+`)}\b`, "gi"),
  message: `"${phrase}" is a figure of speech, write plainly: ${instead}`,
}));

/** A stranger must understand a comment at first reading. */
export const plainComments: Rule = (file) => {
  if (!file.path.startsWith("src/") || !isTypeScript(file.path)) return [];
  const found = patterns.filter(({ pattern }) => file.text.search(pattern) !== -1);
  if (found.length === 0) return []; // to scan a file takes time
  const view = scanSource(file.text).comments;
  return found.flatMap((one) => violationsOf(file, { view, ...one }));
};
