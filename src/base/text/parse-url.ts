/**
 * The only way to parse a URL that may be invalid. `URL.canParse` is not used: on some versions of
 * Node its compiled form reads Latin-1 strings as UTF-8, so after about a thousand calls it refuses
 * every host with an umlaut. `test/tidy.test.ts` forbids it.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined; // it throws nothing but TypeError
  }
}

/**
 * A host in the form of DNS and URLs: lower case, punycode, no dot at the end. `Gärtnerei.DE` and
 * `xn--grtnerei-0za.de` are the same host. Undefined if the text is not a valid host.
 */
export function asciiHost(text: string): string | undefined {
  const host = text.trim().toLowerCase().replace(/\.$/, "");
  if (/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(host))
    return host.includes("..") ? undefined : host;
  if (/[\s/?#@:\\%[\]]/u.test(host)) return undefined;
  const hostname = parseUrl(`http://${host}/`)?.hostname.replace(/\.$/, "");
  return hostname === "" ? undefined : hostname;
}
