/**
 * The only way to ask whether a text is a URL. `URL.canParse` is not used: on some versions of Node
 * its compiled form reads Latin-1 strings as UTF-8, so after about a thousand calls it refuses every
 * host with an umlaut. `test/tidy.test.ts` refuses it too.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined; // a TypeError is all it throws
  }
}

/**
 * A host as DNS and URLs spell it: lower case, punycode, no dot at the end. `Gärtnerei.DE` and
 * `xn--grtnerei-0za.de` are one host. Undefined: no host is called that.
 */
export function asciiHost(text: string): string | undefined {
  const host = text.trim().toLowerCase().replace(/\.$/, "");
  if (/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(host))
    return host.includes("..") ? undefined : host;
  if (/[\s/?#@:\\%[\]]/u.test(host)) return undefined;
  const hostname = parseUrl(`http://${host}/`)?.hostname.replace(/\.$/, "");
  return hostname === "" ? undefined : hostname;
}
