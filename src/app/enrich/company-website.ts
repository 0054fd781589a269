import { parseUrl } from "../../base/text/parse-url.ts";
import type { Company } from "../../records/index.ts";

/** Where a company's website is, as far as it is known. */
export function websiteOf({ texts: { website, domain } }: Company): string | undefined {
  const address = website ?? (domain === undefined ? undefined : `https://${domain}/`);
  const url = address === undefined ? undefined : parseUrl(address);
  return url && /^https?:$/.test(url.protocol) ? address : undefined;
}
