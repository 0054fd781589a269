import { getDomain } from "tldts";

/**
 * The site of a URL: its registrable domain ("shop.example.co.uk" → "example.co.uk"), or host and
 * port if there is none (addresses, localhost). Blogs below a shared domain are separate sites.
 */
export function siteOf(url: string): string {
  const { hostname, host } = new URL(url);
  return getDomain(hostname, { allowPrivateDomains: true }) ?? host;
}

export const isSameSite = (a: string, b: string): boolean => siteOf(a) === siteOf(b);

export const originOf = (url: string): string => new URL(url).origin;
