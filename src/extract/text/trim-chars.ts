export interface TrimmedChars {
  /** Matches a character to remove from the start. */
  readonly start?: RegExp;
  /** Matches a character to remove from the end. */
  readonly end?: RegExp;
}

/**
 * Removes characters from the ends of a text, in time proportional to what it removes. A pattern
 * such as /[.,]+$/ tries every run of these characters from each of its positions, which takes
 * hours on a page with a long run in its middle.
 */
export function trimChars(text: string, { start, end }: TrimmedChars): string {
  let from = 0;
  let to = text.length;
  if (start) while (from < to && start.test(text[from]!)) from += 1;
  if (end) while (to > from && end.test(text[to - 1]!)) to -= 1;
  return text.slice(from, to);
}
