import type { ApiContext, ApiOptions } from "./create-api.ts";

type CookieOptions = Pick<ApiOptions, "cookieName" | "sessionSeconds" | "access">;

/**
 * Sets the session cookie; undefined removes it. The browser's previous session ends, because its
 * cookie is overwritten and the user could not end it later.
 */
export function startSession(
  c: ApiContext,
  secret: string | undefined,
  options: CookieOptions,
): void {
  const { access, cookieName, sessionSeconds } = options;
  const name = cookieName(c);
  const before = cookieOf(c.req.header("cookie"), name);
  const old = before === undefined ? undefined : access.sessions.find(before);
  if (old) access.sessions.end(old.id);
  // `__Host-` cookies are bound to this host and sent only over encrypted connections; plain http
  // cannot set them.
  const secure = c.get("client").isSecure ? "; Secure" : "";
  const age = secret === undefined ? 0 : sessionSeconds;
  const text = `${name}=${secret ?? ""}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`;
  c.header("set-cookie", text, { append: true });
}

/** If there are several cookies with this name, the first one is used. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? "").slice(0, 8_000).split(";")) {
    const at = part.indexOf("=");
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

const browserDays = 180;
const browserCookie = (c: ApiContext, { cookieName }: CookieOptions) => `${cookieName(c)}-browser`;

/** Sets the cookie that identifies a known browser at the next sign-in. It grants no access. */
export function rememberBrowser(c: ApiContext, content: string, options: CookieOptions): void {
  const secure = c.get("client").isSecure ? "; Secure" : "";
  const text = `${browserCookie(c, options)}=${content}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${browserDays * 86_400}${secure}`; // prettier-ignore
  c.header("set-cookie", text, { append: true });
}

export const browserOf = (c: ApiContext, options: CookieOptions): string | undefined =>
  cookieOf(c.req.header("cookie"), browserCookie(c, options));
