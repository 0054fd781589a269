/** The candidate that `name` most likely means. Dotted names also match by their last part. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = keyDistance(name, candidate);
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  return best?.candidate;
}

/** A right name in the wrong table, or with another spelling of its words, is a near miss. */
function keyDistance(name: string, candidate: string): number {
  const whole = editDistance(plain(name), plain(candidate));
  const last = editDistance(plain(lastPart(name)), plain(lastPart(candidate)));
  return Math.min(whole, last + 1);
}

const lastPart = (key: string) => key.slice(key.lastIndexOf(".") + 1);

// Cut, so that a hostile key of a megabyte costs nothing.
const plain = (key: string) => key.toLowerCase().replaceAll(/[-_]/g, "").slice(0, 100);

/** Levenshtein's: how many characters to insert, delete or replace. */
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
