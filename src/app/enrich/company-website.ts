import { parseUrl } from "../../base/text/parse-url.ts";
import type { Company } from "../../records/index.ts";

/** The website of a company, if known. */
export function websiteOf({ texts: { website, domain } }: Company): string | undefined {
  const address = website ?? (domain === undefined ? undefined : `https://${domain}/`);
  const url = address === undefined ? undefined : parseUrl(address);
  return url && /^https?:$/.test(url.protocol) ? address : undefined;
}
