import { parse } from "tldts";
import { asciiHost } from "../../base/text/parse-url.ts";
import { isJunkDomain, isPlaceholder, isSenderOnly } from "./junk-addresses.ts";

/** Files and modules whose names look like domains. */
const assets = new Set(
  (
    "png jpg jpeg gif svg webp avif ico bmp tif tiff heic css scss less js mjs cjs ts tsx jsx map " +
    "json xml html htm php asp aspx jsp pdf doc docx xls xlsx ppt zip rar gz tar mp3 mp4 mov webm " +
    "avi woff woff2 ttf otf eot txt csv vue local localhost internal lan invalid test example"
  ).split(" "),
);

export interface CheckedAddress {
  /** Lower case, the domain in ASCII. */
  readonly value: string;
  readonly local: string;
  readonly domain: string;
  /** The registered domain: `company.co.uk` of `mail.company.co.uk`. */
  readonly registered: string;
}

/**
 * Returns the checked address if it may be real, else undefined. `site` is the registered domain of
 * the page: some domains are junk on most pages, but valid on their own site.
 */
export function checkAddress(
  rawLocal: string,
  rawDomain: string,
  site: string | undefined,
): CheckedAddress | undefined {
  const local = rawLocal.toLowerCase();
  if (!isLocal(local)) return undefined;
  const host = rawDomain.toLowerCase().replace(/\.$/, "");
  if (host.length < 4 || host.length > 190 || !isHost(host)) return undefined;
  const suffix = host.slice(host.lastIndexOf(".") + 1);
  if (assets.has(suffix)) return undefined;
  const { domain: registered, isIcann, isIp, isSpecialUse } = parse(host);
  if (!registered || !isIcann || isIp || isSpecialUse) return undefined;
  const domain = asciiHost(host);
  if (domain === undefined || local.length + domain.length > 253) return undefined;
  const own = asciiHost(registered) ?? registered;
  if (isTechnical(local, host)) return undefined;
  if (isPlaceholder(local, own) || isSenderOnly(local)) return undefined;
  if (own !== site && isJunkDomain(own)) return undefined;
  return { value: `${local}@${domain}`, local, domain, registered: own };
}

function isLocal(local: string): boolean {
  if (local.length === 0 || local.length > 64) return false;
  if (!/^[a-z0-9_](?:[a-z0-9._%+&'-]*[a-z0-9_+-])?$/.test(local)) return false;
  // An apostrophe must be between letters; a percent sign must not begin a code.
  return !/\.\.|(?<![a-z])'|'(?![a-z])|%[0-9a-f]{2}/.test(local);
}

function isHost(host: string): boolean {
  const labels = host.split(".");
  if (labels.length < 2 || labels.length > 8) return false;
  return labels.every(
    (label) =>
      label.length > 0 &&
      label.length < 64 &&
      /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u.test(label),
  );
}

/** Keys, versions, image sizes and message ids, written by programs for programs. */
function isTechnical(local: string, host: string): boolean {
  if (/^(?:git|svn|hg|npm|ssh|root)$/.test(local)) return true;
  if (/^\d+x\b/.test(host) || /^v?\d+(?:\.\d+)+/.test(host)) return true;
  // Digits alone are ids, except at mail providers that give out numbers.
  if (/^[\d._-]+$/.test(local) && !/(?:^|\.)(?:qq|163|126|139)\.com$/.test(host)) return true;
  const bare = local.replace(/[._-]/g, "");
  if (/^[0-9a-f]{16,}$/.test(bare)) return true;
  if (bare.length >= 20 && (bare.match(/\d/g)?.length ?? 0) >= 6 && /\d[a-z]+\d/.test(bare))
    return true;
  return bare.length > 40;
}
