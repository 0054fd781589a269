/**
 * Reasons of failures over https that suggest a website without TLS, including a closed port 443.
 */
const noTlsReasons: ReadonlySet<string | undefined> = new Set([
  "tls",
  "refused",
  "reset",
  "timeout",
]);

/**
 * The same address over http, if it makes sense to try it after a request over https failed. Users and
 * lists often give only a host, so https may be our own guess.
 */
export function plainHttpOf(url: string, reason: string | undefined): string | undefined {
  if (!url.startsWith("https://") || !noTlsReasons.has(reason)) return undefined;
  return url.replace("https://", "http://");
}
