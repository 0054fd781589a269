/**
 * Patterns for pages: `*` is anything within a part of a path, `**` anything at all, all else means
 * itself. One that begins with http:// or https:// is held against the whole URL, any other against
 * the path; with its query where the pattern has a `?`. Whole, not in part.
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
 * All places in the text that the pattern so far can reach, at once: so no pattern, whoever wrote
 * it, costs more than its length times the text's.
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
