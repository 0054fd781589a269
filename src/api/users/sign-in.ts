import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Client } from "../access.ts";
import { scopesOfRole, type Role } from "../contract/roles.ts";
import { ProblemError } from "../problems.ts";
import type { Accounts, User } from "./accounts.ts";
import { createLoginThrottle, type LoginAttempt } from "./login-throttle.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import { acceptInvite, find, renewHash, setPassword, type AccountTools } from "./manage-users.ts";
import { passwordLengths } from "./password-rules.ts";
import { signInBusy } from "./passwords.ts";
import type { Sessions } from "./sessions.ts";

export interface SignInOptions {
  readonly tools: AccountTools;
  readonly accounts: () => Promise<Accounts>;
  readonly sessions: Sessions;
  readonly browsers: KnownBrowsers;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The result of a sign-in. `secret` goes into the cookie. */
export interface SignedIn {
  readonly user: string;
  readonly role: Role;
  readonly secret: string;
}

/** Signing in with a password or an identity provider. Every attempt is throttled and logged. */
export interface SignInService {
  /**
   * Throws 401 if name or password is wrong, without saying which; 429 if the caller has to wait.
   */
  login(given: { readonly user: string; readonly password: string }, client: Client): Promise<SignedIn>; // prettier-ignore
  /** Uses a link to choose the first or a new password. */
  accept(given: { readonly user: string; readonly code: string; readonly password: string }, client: Client): Promise<SignedIn>; // prettier-ignore
  /** Changes the password of a user who knows the old one. All their other sessions end. */
  changePassword(given: { readonly user: string; readonly old: string; readonly password: string }, client: Client): Promise<SignedIn>; // prettier-ignore
  /** Call before an identity provider is asked. Throws 429 if the address has to wait. */
  admitProvider(client: Client): Promise<void>;
  /**
   * Opens a session for a person whom an identity provider has confirmed. `provedMs`: when the
   * provider asked for the password.
   */
  openFor(person: { readonly user: string; readonly role: Role; readonly provedMs: number }, client: Client): SignedIn; // prettier-ignore
  /** The content of the cookie for a browser in which this user has signed in. */
  knownBrowser(user: string): string;
  /** Throws like `login`. */
  prove(given: { readonly user: string; readonly password: string }, client: Client): Promise<User>;
}

export function createSignIn(options: SignInOptions): SignInService {
  const { tools, accounts, sessions, browsers, clock, log } = options;
  const throttle = createLoginThrottle({ clock });

  const prove: SignInService["prove"] = async ({ user: name, password }, client) => {
    const browser = browsers.idOf(name, client.browser);
    const attempt = { user: name, address: client.address, browser };
    await admit(attempt);
    // Cut the input: text longer than any password would only cost time.
    const typed = password.slice(0, 2 * passwordLengths.max);
    const compare = async () => {
      const user = find(await accounts(), name);
      const stranger = throttle.strangerOf(attempt);
      const check = { password: typed, stored: user?.password, stranger };
      return { user, ...(await tools.passwords.verify(check)) };
    };
    const { user, isRight, isOutdated } = await compare().catch((error: unknown) => {
      throttle.notTried(attempt);
      throw error;
    });
    throttle.tried(attempt);
    if (!user || !isRight) {
      log.debug("a sign-in failed", { user: name, address: client.address });
      throw new ProblemError(401, "wrong_password", "the name or the password is wrong");
    }
    throttle.succeeded(attempt);
    if (isOutdated) {
      renewHash(tools, user, typed).catch((error: unknown) => log.warn("a password could not be hashed again with the new cost", { error })); // prettier-ignore
    }
    return user;
  };

  const admit = async (attempt: LoginAttempt) => {
    const waitMs = await throttle.admit(attempt);
    if (waitMs === 0) return;
    if (waitMs === "busy") throw signInBusy();
    const seconds = Math.ceil(waitMs / 1_000);
    log.debug("a sign-in has to wait", { ...attempt, seconds });
    const detail = `too many failed attempts: try again in ${seconds} s`;
    throw new ProblemError(429, "wait_before_sign_in", detail, undefined, seconds);
  };

  const open = (user: User, { address, agent }: Client): SignedIn => {
    const { name, role, version } = user;
    const scopes = scopesOfRole[role];
    const secret = sessions.open({ user: name, role, scopes, version, by: "password", address, agent }); // prettier-ignore
    log.debug("somebody signed in", { user: name, role, address });
    return { user: name, role, secret };
  };

  return {
    prove,
    knownBrowser: (user) => browsers.issue(user),
    login: async (given, client) => open(await prove(given, client), client),
    async accept({ user: name, code, password }, client) {
      // The code of a link cannot be guessed, so attempts count separately: guessing must not lock
      // out the user of the account.
      const attempt = { user: `link:${client.address}`, address: client.address };
      await admit(attempt);
      const user = await acceptInvite(tools, { name, code, password });
      throttle.succeeded(attempt);
      throttle.succeeded({ user: name, address: client.address });
      return open(user, client);
    },
    async changePassword({ user, old, password }, client) {
      await prove({ user, password: old }, client);
      return open(await setPassword(tools, user, password), client);
    },
    admitProvider: (client) => admit(providerAttempt(client)),
    openFor({ user, role, provedMs }, client) {
      const { address, agent } = client;
      throttle.succeeded(providerAttempt(client));
      const scopes = scopesOfRole[role];
      const secret = sessions.open({ user, role, scopes, by: "oidc", address, agent }, provedMs);
      log.debug("somebody signed in", { user, role, address });
      return { user, role, secret };
    },
  };
}

/** The person is not known until the provider answers, so attempts count per address. */
const providerAttempt = ({ address }: Client) => ({ user: `oidc:${address}`, address });
