/**
 * Sign-in with an identity provider: `/login/provider` redirects the browser to the provider, which
 * redirects it back to `/login/callback`. The state of a pending sign-in (state, nonce, PKCE verifier)
 * is in a signed cookie of that browser. So no other browser can finish the sign-in, and many pending
 * sign-ins need no memory on the server.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import type { RequestAuditor } from "../audit-requests.ts";
import type { Role } from "../contract/roles.ts";
import type { ApiContext, ApiOptions } from "../create-api.ts";
import { ProblemError } from "../problems.ts";
import { cookieOf, startSession } from "../session-cookie.ts";
import { plainPage } from "../static-files.ts";
import {
  providerUserName,
  roleOfGroups,
  type IdentityProvider,
  type PendingSignIn,
} from "./identity-provider.ts";

export interface ProviderSignInOptions {
  readonly provider: IdentityProvider;
  readonly roleOfGroup: ReadonlyMap<string, Role>;
}

export interface ProviderSignIn {
  start(c: ApiContext): Promise<Response>;
  finish(c: ApiContext): Promise<Response>;
}

const pendingMs = 10 * 60_000;
/** Concurrent requests to the provider. Further sign-ins get 503 and a Retry-After header. */
const atOnceMax = 20;
export const callbackPath = "/login/callback";

export function createProviderSignIn(
  { provider, roleOfGroup }: ProviderSignInOptions,
  options: ApiOptions,
  auditor: RequestAuditor,
): ProviderSignIn {
  const { access, services } = options;
  const { clock, log } = services;
  const key = services.random.bytes(32);
  let running = 0;

  const cookieName = (c: ApiContext) => `${options.cookieName(c)}_login`;
  const setCookie = (c: ApiContext, value: string, seconds: number) => {
    const secure = c.get("client").isSecure ? "; Secure" : "";
    const text = `${cookieName(c)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
    c.header("set-cookie", text, { append: true });
  };

  const limited = async (c: ApiContext, work: () => Promise<Response>): Promise<Response> => {
    c.header("cache-control", "no-store");
    try {
      if (running >= atOnceMax) throw new ProblemError(503, "sign_in_busy", "too many people are signing in at the moment: try again in a few seconds", undefined, 5); // prettier-ignore
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
      }
    } catch (error) {
      return await refuse(c, error);
    }
  };

  const refuse = async (c: ApiContext, error: unknown): Promise<Response> => {
    const known = describe(error);
    if (!known) throw error;
    const { status, title, text } = known;
    // Anybody can cause these errors with a cheap request, so they must not fill the log.
    const say = error instanceof ProblemError ? log.debug.bind(log) : log.warn.bind(log);
    say("a sign-in with the identity provider failed", { address: c.get("client").address, error }); // prettier-ignore
    if (error instanceof ProblemError && error.retrySeconds !== undefined) c.header("retry-after", String(error.retrySeconds)); // prettier-ignore
    await auditor.login(c, { isDone: false, detail: `identity provider: ${known.code}` });
    setCookie(c, "", 0);
    return c.html(plainPage(title, text, { href: "/sign-in", text: "Sign in" }), status as 403);
  };

  return {
    start: (c) =>
      limited(c, async () => {
        const own = options.publicOrigin();
        const asked = c.req.header("host");
        const isFresh = c.req.query("fresh") !== undefined;
        // The cookie must be set for the host to which the provider redirects the browser.
        if (options.isPublicOriginGuessed && asked !== new URL(own).host) {
          return c.redirect(`${own}/login/provider${isFresh ? "?fresh=1" : ""}`, 303);
        }
        const { url, pending } = await provider.begin({ redirectUri: `${own}${callbackPath}`, isFresh }); // prettier-ignore
        setCookie(c, seal({ ...pending, untilMs: clock.nowMs() + pendingMs }, key), pendingMs / 1_000); // prettier-ignore
        return c.redirect(url, 303);
      }),
    finish: (c) =>
      limited(c, async () => {
        const sealed = cookieOf(c.req.header("cookie"), cookieName(c));
        const pending = sealed === undefined ? undefined : unseal(sealed, key);
        if (!pending || pending.untilMs < clock.nowMs()) throw notBegun();
        const client = c.get("client");
        await access.signIn.admitProvider(client);
        const { search } = new URL(c.req.url);
        const person = await provider.finish({ search, pending });
        const user = providerUserName(person);
        const role = roleOfGroups(person.groups, roleOfGroup);
        if (!role) throw noRole(user);
        const provedMs = Math.min(person.provedMs ?? 0, clock.nowMs());
        const { secret } = access.signIn.openFor({ user, role, provedMs }, client);
        startSession(c, secret, options);
        setCookie(c, "", 0);
        await auditor.login(c, { isDone: true, detail: `identity provider, role ${role}`, user });
        return c.redirect("/", 303);
      }),
  };
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly text: string;
}

/** Undefined for an unexpected error, which is a bug. */
function describe(error: unknown): Refusal | undefined {
  if (error instanceof ProblemError) {
    const { status, code, message } = error;
    return { status, code, title: "You are not signed in", text: `${message}.` };
  }
  if (!(error instanceof AppError)) return undefined;
  const { code } = error;
  if (code === "provider_unreachable") {
    const text =
      "The identity provider does not answer. Try again in a minute; the server's log has the reason.";
    return { status: 503, code, title: "You are not signed in", text };
  }
  // Only the log has the exact reason, for the operator.
  const text =
    "The identity provider did not confirm this sign-in, or it was already used. Sign in again.";
  if (code === "provider_refused")
    return { status: 403, code, title: "You are not signed in", text };
  return undefined;
}

const notBegun = () =>
  new ProblemError(403, "sign_in_not_begun", "this sign-in was not started in this browser, is already finished, or took longer than 10 minutes"); // prettier-ignore

const noRole = (user: string) =>
  new ProblemError(403, "no_role", `you are known as ${user}, but none of your groups may use this server: ask its operator to add one to the setting oidc.roles`); // prettier-ignore

type SealedSignIn = PendingSignIn & { readonly untilMs: number };

const signature = (text: string, key: Uint8Array) =>
  createHmac("sha256", key).update(text).digest();

function seal(pending: SealedSignIn, key: Uint8Array): string {
  const text = Buffer.from(JSON.stringify(pending)).toString("base64url");
  return `${text}.${signature(text, key).toString("base64url")}`;
}

/** Undefined if the signature was not made by this server. */
function unseal(sealed: string, key: Uint8Array): SealedSignIn | undefined {
  const [text = "", given = ""] = sealed.split(".");
  const [mac, expected] = [Buffer.from(given, "base64url"), signature(text, key)];
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return undefined;
  return JSON.parse(Buffer.from(text, "base64url").toString()) as SealedSignIn;
}
