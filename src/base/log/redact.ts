/**
 * Hides what may be secret in all URLs inside a text: the user information, and the values of query
 * parameters whose names suggest a secret. Messages and log lines pass through this. The rest of a
 * URL stays, because it says which page or server is meant.
 */
export function redactText(text: string): string {
  if (!text.includes("://")) return text;
  return text
    .replaceAll(webUser, "$1***@")
    .replaceAll(password, "$1:***@")
    .replaceAll(parameter, (whole, start: string, name: string) =>
      isSecretParameter(name) ? `${start}${name}=***` : whole,
    );
}

/** In web addresses the user's name is often a token, so all of the user information goes. */
const webUser = /\b(https?:\/\/)[^\s/?#"'<>@]*(?:@[^\s/?#"'<>@]*)*@/gi;
const password = /(:\/\/[^\s:@/"']*):[^\s@/"']+@/g;
const parameter = /([?&])([^\s?&=#"'<>]*)=[^\s&#"'<>]*/g;

export const isSecretParameter = (name: string): boolean =>
  /pass|pwd|secret|token|credential|session|signature|oauth|authoriz|(?:api|access|private)[-_]?key|^(?:key|sig|auth)$/i.test(
    name,
  );

/**
 * A URL from a setting, in a form that may be shown: without user information, and only with the
 * values of query parameters that are known to be harmless.
 */
export function redactUrl(url: string, harmless: ReadonlySet<string>): string {
  const [beforeFragment = ""] = url.split("#", 1);
  const at = beforeFragment.indexOf("?");
  const path = at < 0 ? beforeFragment : beforeFragment.slice(0, at);
  const query = at < 0 ? "" : beforeFragment.slice(at + 1);
  const shown = query.split("&").map((pair) => {
    const [name = ""] = pair.split("=", 1);
    return harmless.has(name) || !pair.includes("=") ? redactText(pair) : `${name}=***`;
  });
  return `${redactText(path)}${query === "" ? "" : `?${shown.join("&")}`}`;
}
