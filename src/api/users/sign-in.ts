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

/** Somebody who has signed in. `secret` goes into the cookie. */
export interface SignedIn {
  readonly user: string;
  readonly role: Role;
  readonly secret: string;
}

/** Where people prove who they are. Every attempt is throttled and logged. */
export interface SignInDesk {
  /** Throws 401 for a wrong name or password, which of them is not said; 429 if it has to wait. */
  login(given: { readonly user: string; readonly password: string }, client: Client): Promise<SignedIn>; // prettier-ignore
  /** Chooses the first password, or another one, with a link. */
  accept(given: { readonly user: string; readonly code: string; readonly password: string }, client: Client): Promise<SignedIn>; // prettier-ignore
  /** Another password, for somebody who knows the old one. All their other sessions end. */
  changePassword(given: { readonly user: string; readonly old: string; readonly password: string }, client: Client): Promise<SignedIn>; // prettier-ignore
  /** An identity provider is about to be asked. Throws 429 if the address has to wait. */
  admitProvider(client: Client): Promise<void>;
  /** Somebody whom an identity provider vouches for. `provedMs`: when it asked for the password. */
  openFor(person: { readonly user: string; readonly role: Role; readonly provedMs: number }, client: Client): SignedIn; // prettier-ignore
  /** For a browser in which this user has signed in: the content of its cookie. */
  knownBrowser(user: string): string;
  /** Throws as `login` does. */
  prove(given: { readonly user: string; readonly password: string }, client: Client): Promise<User>;
}

export function createSignIn(options: SignInOptions): SignInDesk {
  const { tools, accounts, sessions, browsers, clock, log } = options;
  const throttle = createLoginThrottle({ clock });

  const prove: SignInDesk["prove"] = async ({ user: name, password }, client) => {
    const browser = browsers.idOf(name, client.browser);
    const attempt = { user: name, address: client.address, browser };
    await admit(attempt);
    const user = find(await accounts(), name);
    // What is longer than any password would only cost time.
    const typed = password.slice(0, 2 * passwordLengths.max);
    const check = {
      password: typed,
      stored: user?.password,
      stranger: throttle.strangerOf(attempt),
    };
    const { isRight, isOutdated } = await tools.passwords.verify(check).catch((error: unknown) => {
      throttle.notTried(attempt);
      throw error;
    });
    throttle.tried(attempt);
    if (!user || !isRight) {
      log.warn("a sign-in failed", { user: name, address: client.address });
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
    log.info("somebody signed in", { user: name, role, address });
    return { user: name, role, secret };
  };

  return {
    prove,
    knownBrowser: (user) => browsers.issue(user),
    login: async (given, client) => open(await prove(given, client), client),
    async accept({ user: name, code, password }, client) {
      // The code of a link cannot be guessed: who guesses at the account must not keep its user out.
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
      log.info("somebody signed in", { user, role, address });
      return { user, role, secret };
    },
  };
}

/** Who comes back from the provider is not known yet: addresses count, each on its own. */
const providerAttempt = ({ address }: Client) => ({ user: `oidc:${address}`, address });
