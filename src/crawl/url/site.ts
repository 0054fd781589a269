import { getDomain } from "tldts";

/**
 * Which site a URL belongs to: its registrable domain ("shop.example.co.uk" → "example.co.uk"), or
 * host and port where there is none (addresses, localhost). Blogs under a common name are apart.
 */
export function siteOf(url: string): string {
  const { hostname, host } = new URL(url);
  return getDomain(hostname, { allowPrivateDomains: true }) ?? host;
}

export const isSameSite = (a: string, b: string): boolean => siteOf(a) === siteOf(b);

export const originOf = (url: string): string => new URL(url).origin;
