import * as openid from "openid-client";
import { AppError } from "../../../../base/app-error.ts";
import type { IdentityProvider, ProvedPerson } from "../../identity-provider.ts";

export interface OpenIdProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** The name of the claim, or its path: `realm_access.roles`. */
  readonly groupsClaim: string;
}

const timeoutSeconds = 10;
const groupsMax = 1_000;
/** `max_age` for a sign-in that must be fresh. */
const freshSeconds = 60;

/**
 * An OpenID Connect provider: authorization code flow with PKCE, state and nonce. The provider's
 * configuration is read at the first sign-in, so the server starts even if the provider is down.
 */
export function createOpenIdProvider(options: OpenIdProviderOptions): IdentityProvider {
  const { issuer, clientId, clientSecret, scopes, groupsClaim } = options;
  let discovering: Promise<openid.Configuration> | undefined;

  async function discover(): Promise<openid.Configuration> {
    const url = new URL(issuer);
    const proof =
      clientSecret === undefined ? openid.None() : openid.ClientSecretPost(clientSecret);
    const insecure = url.protocol === "http:" ? [openid.allowInsecureRequests] : [];
    // The signature is checked although the token comes directly from the provider.
    const execute = [...insecure, openid.enableNonRepudiationChecks];
    const more = { execute, timeout: timeoutSeconds };
    return await openid.discovery(url, clientId, undefined, proof, more);
  }
  const configuration = async () => {
    discovering ??= discover();
    try {
      return await discovering;
    } catch (error) {
      discovering = undefined;
      throw translate(error, issuer);
    }
  };

  return {
    async begin({ redirectUri, isFresh }) {
      const config = await configuration();
      const verifier = openid.randomPKCECodeVerifier();
      const pending = {
        redirectUri,
        isFresh,
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier,
      };
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(isFresh && { max_age: String(freshSeconds) }),
      });
      return { url: url.href, pending };
    },
    async finish({ search, pending }) {
      const config = await configuration();
      try {
        const url = new URL(pending.redirectUri);
        url.search = search;
        const tokens = await openid.authorizationCodeGrant(config, url, {
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          pkceCodeVerifier: pending.verifier,
          idTokenExpected: true,
          ...(pending.isFresh && { maxAge: freshSeconds }),
        });
        return await toPerson(config, tokens, groupsClaim);
      } catch (error) {
        throw translate(error, issuer);
      }
    },
  };
}

type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;

/** Many providers send groups and names only from their userinfo endpoint. */
async function toPerson(
  config: openid.Configuration,
  tokens: Tokens,
  groupsClaim: string,
): Promise<ProvedPerson> {
  const claims: Record<string, unknown> & { readonly sub: string } = tokens.claims()!;
  const hasMore = claimOf(claims, groupsClaim) === undefined && config.serverMetadata().userinfo_endpoint !== undefined; // prettier-ignore
  const more = hasMore ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
  const all: Readonly<Record<string, unknown>> = { ...more, ...claims };
  const label = [all["preferred_username"], all["email"], all["name"]].find(isText) ?? "";
  const authTime = claims["auth_time"];
  return {
    subject: claims.sub,
    label,
    groups: textsOf(claimOf(all, groupsClaim)),
    provedMs: typeof authTime === "number" ? authTime * 1_000 : undefined,
  };
}

/** Tries the whole name first, because the name of a claim may be a URL with dots. */
function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((value, key) => {
    const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    return isObject ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  }, claims);
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter(isText).slice(0, groupsMax);

function translate(cause: unknown, issuer: string): unknown {
  if (cause instanceof AppError) return cause;
  if (!(cause instanceof Error)) return cause;
  const { code } = cause as { code?: unknown };
  // fetch throws a TypeError if nothing answers.
  const isAway =
    (cause instanceof TypeError && cause.message === "fetch failed") ||
    code === "OAUTH_TIMEOUT" ||
    code === "OAUTH_RESPONSE_IS_NOT_CONFORM";
  if (isAway) {
    const message = `the identity provider ${issuer} does not answer, or sends an invalid answer: ${cause.message}`;
    return new AppError("unavailable", "provider_unreachable", message, { cause });
  }
  const message = `the identity provider ${issuer} did not confirm this sign-in: ${reasonOf(cause)}`;
  return new AppError("invalid", "provider_refused", message, { cause });
}

/**
 * Error codes of the provider, such as `access_denied` or `invalid_grant`, can be shown to users.
 */
function reasonOf(error: Error): string {
  const known =
    error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError;
  const inner = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return known ? error.error : `${error.message}${inner}`;
}
