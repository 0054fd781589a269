/** Failures of a request over https to a website that has no TLS: a closed port 443 is one too. */
const noTlsReasons: ReadonlySet<string | undefined> = new Set([
  "tls",
  "refused",
  "reset",
  "timeout",
]);

/**
 * The same address over http, if that is worth a try after a request over https failed. Lists and
 * people name a host alone, so https may be our own guess.
 */
export function plainHttpOf(url: string, reason: string | undefined): string | undefined {
  if (!url.startsWith("https://") || !noTlsReasons.has(reason)) return undefined;
  return url.replace("https://", "http://");
}
