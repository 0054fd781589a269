import { crc32 } from "node:zlib";
import { AppError } from "../../base/app-error.ts";
import { createId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/logger.ts";
import { scopesOfRole } from "../contract/roles.ts";
import type { Scope } from "../contract/route.ts";
import { tokensMax, type Accounts, type ApiToken } from "./accounts.ts";
import { find, hashOf, isEqual, nowText, type AccountTools } from "./manage-users.ts";

export interface NewToken {
  /** The purpose of the token. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly days: number;
  /** The owner; absent: the token belongs to the fleet. */
  readonly user?: string | undefined;
  readonly by: string;
}

export const tokenDays = { default: 90, max: 3_650 } as const;
const dayMs = 86_400_000;
const usedNoteMs = 3_600_000;
const triedAgainMs = 600_000;

/** Scopes that a token may have. Managing users requires signing in. */
export const isTokenScope = (scope: Scope): boolean => scope !== "users:admin";

/** Returns the token itself, which is not stored. */
export async function addToken(
  tools: AccountTools,
  added: NewToken,
): Promise<{ readonly token: ApiToken; readonly secret: string }> {
  const { name, scopes, days, user, by } = added;
  const refused = scopes.filter((scope) => !isTokenScope(scope));
  if (refused.length > 0) {
    const message = `a token cannot have the scope ${refused.join(", ")}: users are changed by somebody who signs in`;
    throw new AppError("invalid", "scope_not_for_tokens", message);
  }
  const id = createId(tools.random, 10);
  const body = `fgr_${id}_${Buffer.from(tools.random.bytes(32)).toString("base64url")}`;
  const secret = body + checksumOf(body);
  const expiresMs = tools.clock.nowMs() + days * dayMs;
  const token: ApiToken = {
    id,
    name,
    ...(user !== undefined && { user }),
    scopes: [...new Set(scopes)],
    hash: hashOf(secret),
    createdAt: nowText(tools),
    createdBy: by,
    expiresAt: new Date(expiresMs).toISOString(),
  };
  await tools.store.change((accounts) => {
    if (user !== undefined) checkScopes(accounts, user, scopes);
    if (accounts.tokens.length >= tokensMax) throw tooManyTokens();
    return { ...accounts, tokens: [...accounts.tokens, token] };
  });
  return { token, secret };
}

/** Revokes a token. `user`: only if it belongs to this user. */
export async function revokeToken(
  { store }: AccountTools,
  id: string,
  user?: string,
): Promise<void> {
  await store.change((accounts) => {
    const isIt = (token: ApiToken) => token.id === id && (user === undefined || token.user === user); // prettier-ignore
    if (!accounts.tokens.some(isIt)) throw noToken(id);
    return { ...accounts, tokens: accounts.tokens.filter((token) => !isIt(token)) };
  });
}

/**
 * The id in a text that looks like one of our tokens. The checksum detects typing errors without a
 * look-up.
 */
export function tokenIdOf(secret: string): string | undefined {
  const [, body, id, checksum] = /^(fgr_([0-9a-z]{10})_[\w-]{43})([0-9a-z]{7})$/.exec(secret) ?? [];
  return body !== undefined && checksumOf(body) === checksum ? id : undefined;
}

/** Returns the token, with its current scopes, if it is valid, not expired, and its user exists. */
export function findToken(
  accounts: Accounts,
  secret: string,
  nowMs: number,
): { readonly token: ApiToken; readonly scopes: readonly Scope[] } | undefined {
  const id = tokenIdOf(secret);
  const token = accounts.tokens.find((one) => one.id === id);
  if (!token || !isEqual(token.hash, hashOf(secret))) return undefined;
  return isValid(accounts, token, nowMs) ? { token, scopes: scopesOf(accounts, token) } : undefined;
}

export const isValid = (accounts: Accounts, token: ApiToken, nowMs: number): boolean =>
  Date.parse(token.expiresAt) > nowMs &&
  (token.user === undefined || find(accounts, token.user) !== undefined);

function scopesOf(accounts: Accounts, { user, scopes }: ApiToken): readonly Scope[] {
  const allowed = scopes.filter(isTokenScope);
  if (user === undefined) return allowed;
  const ofRole = scopesOfRole[find(accounts, user)!.role];
  return allowed.filter((scope) => ofRole.includes(scope));
}

/**
 * Records when tokens are used, each at most once an hour. Requests do not wait for it. While the
 * store does not answer, at most one attempt per token waits, so that changes of users are not
 * delayed.
 */
export function createUseNotes(tools: AccountTools, log: Pick<Logger, "warn">) {
  const triedMs = new Map<string, number>();
  return (used: ApiToken): void => {
    const nowMs = tools.clock.nowMs();
    const isNoted = ({ usedAt }: ApiToken) => usedAt !== undefined && nowMs - Date.parse(usedAt) < usedNoteMs; // prettier-ignore
    const isTried = nowMs - (triedMs.get(used.id) ?? -Infinity) < triedAgainMs;
    if (isNoted(used) || isTried) return;
    if (triedMs.size >= tokensMax) triedMs.clear();
    triedMs.set(used.id, nowMs);
    const usedAt = nowText(tools);
    const isIt = (one: ApiToken) => one.id === used.id && !isNoted(one);
    const note = (one: ApiToken) => (isIt(one) ? { ...one, usedAt } : one);
    tools.store
      .change((now) => now.tokens.some(isIt) ? { ...now, tokens: now.tokens.map(note) } : now) // prettier-ignore
      .catch((error: unknown) => log.warn("the use of a token was not noted", { id: used.id, error })); // prettier-ignore
  };
}

/** The public part of a token, without the hash. */
export const describeToken = (token: ApiToken) => {
  const { id, name, user, scopes, createdAt, createdBy, expiresAt, usedAt } = token;
  return { id, name, user: user ?? null, scopes, createdAt, createdBy, expiresAt, usedAt: usedAt ?? null }; // prettier-ignore
};

/** A checksum by which secret scanners distinguish a token from similar text. */
const checksumOf = (body: string) => crc32(body).toString(36).padStart(7, "0");

function checkScopes(accounts: Accounts, name: string, scopes: readonly Scope[]): void {
  const user = find(accounts, name);
  if (!user) throw new AppError("invalid", "no_user", `there is no user ${name}`);
  const missing = scopes.filter((scope) => !scopesOfRole[user.role].includes(scope));
  if (missing.length === 0) return;
  const message = `the role ${user.role} of ${name} does not include ${missing.join(", ")}`;
  throw new AppError("invalid", "scope_beyond_role", message);
}

const noToken = (id: string) =>
  new AppError(
    "invalid",
    "no_such_token",
    `there is no token ${id}: \`forager token list\` shows all`,
  );

const tooManyTokens = () =>
  new AppError("invalid", "too_many_tokens", `there are ${tokensMax} tokens: revoke some first`);
