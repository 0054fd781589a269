import { parseUrl } from "../../base/text/parse-url.ts";
import { isSecretParameter, redactUrl } from "../../base/log/redact.ts";
import { mask } from "../secrets/secret.ts";

/**
 * Addresses in settings. When settings are loaded, a password in an address is removed from it, so
 * that the address can be printed and logged anywhere. An address that cannot be split safely is
 * refused.
 */
export type SplitUrl =
  | {
      readonly kind: "ok";
      readonly url: string;
      /**
       * The address in a form that may be shown: it shows that there are credentials, but not
       * which.
       */
      readonly display: string;
      readonly password?: string;
    }
  | { readonly kind: "wrong"; readonly text: string };

const schemes = ["sqlite:", "dir:", "postgres://", "postgresql://", "s3://"];

export function splitUrl(written: string): SplitUrl {
  const scheme = schemes.find((known) => written.startsWith(known));
  if (!scheme || written === scheme) {
    return wrong(`must be an address that starts with ${schemes.join(", ")}`);
  }
  // The address of a file or folder: it may contain any character, and has no credentials.
  if (!scheme.endsWith("//")) return plain(written);
  const parsed = parseUrl(written);
  if (!parsed) {
    return wrong("must be a URL; in a password write / ? # @ : % as %2F %3F %23 %40 %3A %25");
  }
  const rest = written.slice(scheme.length);
  const [authority = ""] = rest.split(/[/?#]/, 1);
  const at = authority.lastIndexOf("@");
  // Otherwise part of a password with an unescaped / would be taken for a path and be printed.
  if (rest.slice(at + 1).includes("@")) return wrong("must write @ as %40 outside user and host");
  const query = [...parsed.searchParams];
  if (query.some(([name]) => isSecretParameter(name))) {
    return wrong("must not hold a secret in its query: use user:password@ or the password setting");
  }
  if (query.some(([, value]) => /:\/\/[^/?#]*@/.test(value))) {
    return wrong("must not hold credentials inside of its query");
  }
  const colon = authority.slice(0, Math.max(at, 0)).indexOf(":");
  if (colon < 0) return plain(written);
  const password = decode(authority.slice(colon + 1, at));
  if (password === undefined) return wrong("has a password with a bad % escape: write % as %25");
  const url = scheme + authority.slice(0, colon) + rest.slice(at);
  if (password === "") return plain(url);
  const display = shownUrl(scheme + mask + rest.slice(at));
  return { kind: "ok", url, display, password };
}

/** The query parameters that a backend knows; values of other parameters may be secret. */
const harmless: ReadonlySet<string> = new Set(
  (
    "endpoint region pathStyle table schema lazy host port sslmode sslrootcert sslcert sslkey " +
    "connect_timeout application_name"
  ).split(" "),
);

const shownUrl = (url: string): string => (url.includes("://") ? redactUrl(url, harmless) : url);

/**
 * The part of a web address that may be shown: services put tokens into all other parts. Undefined
 * if it is not a web address.
 */
export function hostOfWebUrl(written: string): string | undefined {
  const url = /^https?:\/\//.test(written) ? parseUrl(written) : undefined;
  if (!url) return undefined;
  const { origin, href } = url;
  return href === `${origin}/` ? origin : `${origin}/${mask}`;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // it throws nothing but URIError
  }
}

const plain = (url: string): SplitUrl => ({ kind: "ok", url, display: shownUrl(url) });

const wrong = (text: string): SplitUrl => ({ kind: "wrong", text });
