/**
 * Patterns for pages: `*` matches anything within a part of a path, `**` matches anything, and all
 * other characters match themselves. A pattern that begins with http:// or https:// is compared
 * with the whole URL, others with the path, including the query if the pattern has a `?`. The whole
 * text must match.
 */
export type UrlPattern = (url: string) => boolean;

export function urlPattern(pattern: string): UrlPattern {
  const tokens = pattern.match(/\*\*|\*|[^*]/g) ?? [];
  const isWhole = /^https?:\/\//i.test(pattern);
  const hasQuery = pattern.includes("?");
  return (url) => {
    const { origin, pathname, search } = new URL(url);
    return matches(tokens, `${isWhole ? origin : ""}${pathname}${hasQuery ? search : ""}`);
  };
}

/**
 * Tracks all positions in the text that the pattern so far can reach. So the cost of any pattern is
 * at most its length times the length of the text.
 */
function matches(tokens: readonly string[], text: string): boolean {
  let reached = new Set([0]);
  for (const token of tokens) {
    const next = new Set<number>();
    if (token.startsWith("*")) {
      let isOpen = false;
      for (let at = 0; at <= text.length; at++) {
        isOpen ||= reached.has(at);
        if (isOpen) next.add(at);
        if (token === "*" && text[at] === "/") isOpen = false;
      }
    } else for (const at of reached) if (text[at] === token) next.add(at + 1);
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(text.length);
}
