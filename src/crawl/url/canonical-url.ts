import { parseUrl } from "../../base/text/parse-url.ts";

/**
 * One form per page, so that no page is visited twice. Invariants:
 * - idempotent: the canonical form of a canonical URL is the URL itself;
 * - URLs that a server may distinguish stay distinct: with and without a final slash, the order of
 *   equal parameters, `?page=2`;
 * - what only identifies the visitor is removed: fragments, tracking, sessions, credentials.
 */

/** Longer URLs are generated and not useful. */
export const urlCharsMax = 2_000;

/** undefined: not an http or https URL, or too long. */
export function canonicalUrl(text: string, base?: string): string | undefined {
  const url = text.length > urlCharsMax * 2 ? undefined : parseUrl(text, base);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  const hostname = url.hostname.replace(/\.+$/, "");
  if (hostname === "") return undefined;
  const port = url.port === "" ? "" : `:${url.port}`;
  const path = normalise(withoutSession(url.pathname));
  const query = canonicalQuery(url.search);
  const href = `${url.protocol}//${hostname}${port}${path === "" ? "/" : path}${query}`;
  return href.length <= urlCharsMax ? href : undefined;
}

const tracking = new Set([
  ..."gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ysclid twclid ttclid li_fat_id igshid igsh".split(
    " ",
  ),
  ..."mc_cid mc_eid _ga _gl _hsenc _hsmi __hstc __hssc __hsfp hsctatracking mkt_tok oly_anon_id oly_enc_id".split(
    " ",
  ),
  ..."vero_id wickedid s_cid srsltid epik rb_clickid spm scm _openstat wt_mc at_campaign at_medium piwik_campaign".split(
    " ",
  ),
]);
const trackingStarts = ["utm_", "pk_", "mtm_", "matomo_", "hsa_", "ga_"];
const sessions = new Set(
  "phpsessid jsessionid sessionid session_id sessid aspsessionid cfid cftoken zenid oscsid viewstate".split(
    " ",
  ),
);
/** Ambiguous names: a session only if the value looks like one. */
const sessionsPerhaps = new Set(["sid", "s", "session", "ssid"]);

function isDropped(parameter: string): boolean {
  const [rawName = "", value = ""] = parameter.split("=", 2);
  const name = rawName.toLowerCase();
  if (tracking.has(name) || sessions.has(name) || name.startsWith("aspsessionid")) return true;
  if (trackingStarts.some((start) => name.startsWith(start))) return true;
  return sessionsPerhaps.has(name) && /^(?=.*\d)[0-9a-z]{20,}$/i.test(value);
}

/** Sorted by name; parameters with the same name keep their order, which may matter. */
function canonicalQuery(search: string): string {
  if (search.length < 2) return "";
  const kept = search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "")
    .map(normalise)
    .filter((parameter) => !isDropped(parameter))
    .map((parameter) => ({ name: parameter.split("=", 1)[0]!, parameter }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return kept.length === 0 ? "" : `?${kept.map(({ parameter }) => parameter).join("&")}`;
}

const withoutSession = (path: string): string =>
  path
    .replaceAll(/;(?:jsessionid|phpsessid|sid|sessionid)=[^/;?]*/gi, "")
    .replaceAll(/\/\((?:[a-z]\([0-9a-z]{10,}\))+\)(?=\/)/gi, "");

/** Upper-case hex digits; needless encodings are decoded. */
const normalise = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (encoded, hex: string) => {
    const letter = String.fromCharCode(parseInt(hex, 16));
    return /[A-Za-z0-9_.~-]/.test(letter) ? letter : encoded.toUpperCase();
  });

/**
 * Detects paths that links can lengthen for ever: a repeated segment, great depth, or very many
 * parameters. Budgets also end such walks; this keeps them from using up the budget.
 */
export function looksEndless(url: string): boolean {
  const { pathname, searchParams } = new URL(url);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  if (segments.length > 12 || searchParams.size > 8) return true;
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return [...counts.values()].some((count) => count >= 3);
}

const assets =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|m?js|json|map|woff2?|ttf|eot|otf|mp[34]|m4[av]|mov|avi|mkv|webm|ogg|wav|flac|zip|gz|tgz|bz2|xz|7z|rar|exe|dmg|msi|apk|iso|pdf|docx?|xlsx?|pptx?|odt|ods|csv|ics|vcf|epub|psd|ai|eps|dwg)$/i;

/** Whether its file extension shows that it is not a page. */
export const isAsset = (url: string): boolean => assets.test(new URL(url).pathname);
