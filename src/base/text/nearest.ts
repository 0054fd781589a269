/**
 * The candidate that `name` most likely means, or undefined if no candidate is close, because a
 * wrong hint misleads. Dotted names also match by their last part.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = keyDistance(name, candidate);
    if (distance < (best?.distance ?? Infinity)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The hint for a message, or an empty string if no candidate is close. */
export function nearestHint(
  name: string,
  candidates: Iterable<string>,
  words: (candidate: string) => string,
): string {
  const found = nearest(name, candidates);
  return found === undefined ? "" : words(found);
}

/** A correct name in the wrong table, or with its words spelt differently, counts as close. */
function keyDistance(name: string, candidate: string): number {
  const whole = wordDistance(plain(name), plain(candidate));
  const last = wordDistance(plain(lastPart(name)), plain(lastPart(candidate)));
  return Math.min(whole, last + 1);
}

/**
 * Infinite if the words are not close. Close means: one wrong character in a short word, three of
 * ten in a long one, or one word is the beginning of the other. People rarely mistype the first
 * letter, so words that begin differently are further apart.
 */
function wordDistance(a: string, b: string): number {
  if (isSwapped(a, b)) return 1;
  const distance = editDistance(a, b) + (a[0] === b[0] ? 0 : 1);
  const isBeginning = a.length >= beginningMin && b.startsWith(a);
  if (isBeginning) return Math.min(distance, 2);
  const most = Math.max(1, Math.floor(Math.max(a.length, b.length) * 0.3));
  return distance <= most ? distance : Infinity;
}

/** Shorter beginnings match too many words. */
const beginningMin = 3;

/** Two neighbouring letters in the wrong order: a frequent typing error. */
function isSwapped(a: string, b: string): boolean {
  const at = a.split("").findIndex((letter, index) => letter !== b[index]);
  if (at < 0 || a.length !== b.length) return false;
  return a.slice(0, at) + a[at + 1] + a[at] + a.slice(at + 2) === b;
}

const lastPart = (key: string) => key.slice(key.lastIndexOf(".") + 1);

// Truncated, so that a hostile key of a megabyte costs nothing.
const plain = (key: string) => key.toLowerCase().replaceAll(/[-_]/g, "").slice(0, 100);

/** Levenshtein distance: the number of characters to insert, delete or replace. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = row[j]! + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
