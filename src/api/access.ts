import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock, Timer } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import { scopes } from "./contract/route.ts";
import type { Caller } from "./handler.ts";
import { ProblemError } from "./problems.ts";
import { createAccountCache } from "./users/account-cache.ts";
import type { AccountStore } from "./users/account-store.ts";
import type { Accounts } from "./users/accounts.ts";
import { createUseNotes, findToken, isValid } from "./users/manage-tokens.ts";
import { find, type AccountTools } from "./users/manage-users.ts";
import { createKnownBrowsers } from "./users/known-browsers.ts";
import { createPasswords, type PasswordCost } from "./users/passwords.ts";
import {
  createSessions,
  type Session,
  type SessionLimits,
  type Sessions,
} from "./users/sessions.ts";
import { createSignIn, type SignInService } from "./users/sign-in.ts";

export interface AccessOptions {
  /**
   * The secret of the data folder: a caller from this machine who can read its file may do
   * everything.
   */
  readonly token: string;
  /** True: callers from this machine need no credentials. */
  readonly isOpen: boolean;
  readonly user: string;
  readonly accounts: AccountStore;
  /** The maximum age of the cached users and tokens. */
  readonly accountsMaxAgeMs: number;
  readonly passwordCost?: PasswordCost | undefined;
  readonly sessionLimits: SessionLimits;
  /** True while a live stream is open: it must end soon after its session or token has ended. */
  readonly isWatched: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The source of a request. */
export interface Client {
  readonly address: string;
  /** The request comes directly from this machine, not through a proxy. */
  readonly isLocal: boolean;
  readonly agent: string;
  /** A cookie that shows that the user has signed in from this browser before. */
  readonly browser?: string | undefined;
}

export interface Proof extends Client {
  readonly authorization: string | undefined;
  /** The content of the session cookie. */
  readonly cookie: string | undefined;
}

/**
 * Decides who may call the API: programs with a token, people with a session, and holders of the
 * folder's secret.
 */
export interface Access {
  /** Throws a problem with status 401 if the proof is not valid. */
  callerOf(proof: Proof): Promise<Caller>;
  /**
   * Creates a code that opens one session for the person who runs the server. It expires after
   * `lifeMs`.
   */
  makeCode(lifeMs: number): string;
  /** Exchanges a code for a session; undefined if the code is unknown or was used already. */
  redeem(code: string, client: Client): { readonly secret: string; readonly user: string } | undefined; // prettier-ignore
  readonly signIn: SignInService;
  readonly sessions: Sessions;
  readonly tools: AccountTools;
  /** Returns the current accounts, or those that were last read. */
  readonly accounts: () => Promise<Accounts>;
  close(): void;
}

const codesMax = 100;
/** Users, tokens and erasure can be managed for this long after a sign-in. */
const freshMs = 15 * 60_000;
const watchedTokensMax = 1_000;

/** Sessions and codes are kept in memory: after a restart of the server, people sign in again. */
export function createAccess(options: AccessOptions): Access {
  const { token, isOpen, user, clock, random, log } = options;
  /** The hash of each code, and the time at which it expires. */
  const codes = new Map<string, number>();
  const sessions = createSessions({ clock, random, limits: options.sessionLimits });
  const tokenEnds = new Map<string, { readonly isOver: (now: Accounts) => boolean; readonly controller: AbortController }>(); // prettier-ignore
  const tokenHash = hash(token);
  const never = new AbortController().signal;

  const endOutdated = (now: Accounts) => {
    sessions.endWhere((session) => isOutdated(session, now));
    for (const [key, { isOver, controller }] of tokenEnds) {
      if (!isOver(now)) continue;
      tokenEnds.delete(key);
      controller.abort();
    }
  };
  const accounts = createAccountCache({
    store: options.accounts,
    maxAgeMs: options.accountsMaxAgeMs,
    clock,
    log,
    onRead: endOutdated,
  });
  const passwords = createPasswords({ clock, random, ...(options.passwordCost && { cost: options.passwordCost }) }); // prettier-ignore
  const tools: AccountTools = { store: accounts, passwords, clock, random };
  const noteUse = createUseNotes(tools, log);
  const browsers = createKnownBrowsers(token, random);
  const signIn = createSignIn({ tools, accounts: () => accounts.current(), sessions, browsers, clock, log }); // prettier-ignore

  /**
   * Ends the streams of callers who have lost their access, because a stream sends no further
   * requests.
   */
  let timer: Timer;
  const look = () => {
    sessions.sweep();
    const isNeeded = options.isWatched() && (tokenEnds.size > 0 || sessions.list().some(({ version }) => version !== undefined)); // prettier-ignore
    // Tokens expire also while the accounts cannot be read. The next request reports the error.
    if (isNeeded) accounts.current().then(endOutdated, () => {});
    timer = clock.setTimer(options.accountsMaxAgeMs, look, { background: true });
  };
  timer = clock.setTimer(options.accountsMaxAgeMs, look, { background: true });

  const owner = { user, isOwner: true, role: undefined, scopes, isFresh: true, confirmBy: undefined, sessionId: undefined, ended: never } as const; // prettier-ignore

  const sessionCaller = async (secret: string, address: string): Promise<Caller | undefined> => {
    const session = sessions.find(secret);
    if (!session) return undefined;
    // The user may have changed while the session began: then no later change would end it.
    if (session.version !== undefined && isOutdated(session, await accounts.current())) {
      sessions.end(session.id);
    }
    if (session.ended.aborted) return undefined;
    const isFresh = clock.nowMs() - session.provedMs <= freshMs;
    const { role, scopes: allowed, id, ended, by } = session;
    const confirmBy = ({ link: undefined, password: "password", oidc: "provider" } as const)[by];
    return { by: "session", user: session.user, isOwner: by === "link", role, scopes: allowed, isFresh, confirmBy, sessionId: id, ended, address }; // prettier-ignore
  };

  const tokenCaller = async (secret: string, address: string): Promise<Caller> => {
    const now = await accounts.current();
    const found = findToken(now, secret, clock.nowMs());
    if (!found) throw unknownCaller("the token is wrong, has expired or was revoked");
    const { id, name, user: of } = found.token;
    noteUse(found.token);
    const version = of === undefined ? "" : find(now, of)!.version;
    const key = `${id} ${version}`;
    const known = tokenEnds.get(key);
    const controller = known?.controller ?? new AbortController();
    tokenEnds.set(key, { controller, isOver: (latest) => !hasToken(latest, id, version, clock.nowMs()) }); // prettier-ignore
    dropOldest(tokenEnds, watchedTokensMax);
    return { by: "token", user: of ?? `token:${name}`, isOwner: false, role: undefined, scopes: found.scopes, isFresh: false, confirmBy: undefined, sessionId: undefined, ended: controller.signal, address }; // prettier-ignore
  };

  return {
    async callerOf({ authorization, cookie, address, isLocal }) {
      if (authorization !== undefined) {
        const [, given] = /^Bearer ([\w.-]{1,200})$/i.exec(authorization) ?? [];
        if (given?.startsWith("fgr_")) return tokenCaller(given, address);
        const isRight = given !== undefined && timingSafeEqual(hash(given), tokenHash);
        if (isRight && isLocal) return { ...owner, by: "token", address };
        throw unknownCaller(isRight ? "the folder's token works on its own machine only" : "the token is wrong"); // prettier-ignore
      }
      const caller = cookie === undefined ? undefined : await sessionCaller(cookie, address);
      if (caller) return caller;
      if (isOpen && isLocal) return { ...owner, by: "loopback", address };
      throw unknownCaller("this needs a session or a token");
    },
    makeCode(lifeMs) {
      const code = createId(random, 40);
      codes.set(hash(code).toString("hex"), clock.nowMs() + lifeMs);
      dropOldest(codes, codesMax);
      return code;
    },
    redeem(code, { address, agent, isLocal }) {
      if (!isLocal) return undefined;
      const key = hash(code).toString("hex");
      const untilMs = codes.get(key);
      codes.delete(key);
      if (untilMs === undefined || untilMs < clock.nowMs()) return undefined;
      const secret = sessions.open({ user, role: undefined, scopes, by: "link", address, agent });
      return { secret, user };
    },
    signIn,
    sessions,
    tools,
    accounts: () => accounts.current(),
    close: () => timer.cancel(),
  };
}

const isOutdated = ({ version, user }: Session, { users }: Accounts) =>
  version !== undefined && !users.some((one) => one.name === user && one.version === version);

const hasToken = (accounts: Accounts, id: string, version: string, nowMs: number) =>
  accounts.tokens.some(
    (one) =>
      one.id === id &&
      isValid(accounts, one, nowMs) &&
      (one.user === undefined ? "" : find(accounts, one.user)!.version) === version,
  );

const unknownCaller = (why: string) =>
  new ProblemError(
    401,
    "not_signed_in",
    `${why}: sign in at /sign-in, or send a token of \`forager token add\`. On the machine of the ` +
      "server `forager dashboard` prints a link, and the file node/api.token has the folder's token",
  );

const hash = (text: string) => createHash("sha256").update(text).digest();

/** A Map iterates in insertion order, so the first key is the oldest. */
function dropOldest<T>(map: Map<string, T>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
