import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import type { Role } from "../contract/roles.ts";
import { userNamePattern, usersMax, type Accounts, type User } from "./accounts.ts";
import type { AccountStore } from "./account-store.ts";
import { checkPassword } from "./password-rules.ts";
import type { Passwords } from "./passwords.ts";

/** What the commands and the API need to manage users and tokens. */
export interface AccountTools {
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: Random;
}

/** How long an invitation is valid. */
const inviteMs = 24 * 3_600_000;

export interface NewUser {
  readonly name: string;
  readonly role: Role;
  /** The user who adds it. */
  readonly by: string;
}

export interface Invited {
  readonly user: User;
  /** The secret part of the link by which the user chooses a password. */
  readonly code: string;
}

/** Adds a user without a password. Throws `conflict` if the name exists. */
export async function addUser(tools: AccountTools, added: NewUser): Promise<Invited> {
  const { name, role, by } = added;
  if (!userNamePattern.test(name)) {
    const message = `'${name}' is not a valid user name: use lower-case letters, digits and . _ + @ -, at most 64`;
    throw new AppError("invalid", "bad_user_name", message);
  }
  const { invite, code } = makeInvite(tools);
  const user: User = {
    name,
    role,
    version: createId(tools.random, 16),
    invite,
    createdAt: nowText(tools),
    createdBy: by,
  };
  await tools.store.change((accounts) => {
    if (accounts.users.some((one) => one.name === name)) throw userExists(name);
    if (accounts.users.length >= usersMax) throw tooManyUsers();
    return { ...accounts, users: [...accounts.users, user] };
  });
  return { user, code };
}

/**
 * Creates a new link for choosing a password. The current password stays valid until it is used.
 */
export async function inviteUser(tools: AccountTools, name: string): Promise<Invited> {
  const { invite, code } = makeInvite(tools);
  const user = await changeUser(tools, name, (one) => ({ ...one, invite }));
  return { user, code };
}

/** Ends all sessions of the user; tokens lose rights immediately. */
export async function setRole(tools: AccountTools, name: string, role: Role): Promise<User> {
  const version = createId(tools.random, 16);
  return changeUser(tools, name, (one) => (one.role === role ? one : { ...one, role, version }));
}

/** Ends all sessions of the user, and invalidates an open link. */
export async function setPassword(
  tools: AccountTools,
  name: string,
  password: string,
): Promise<User> {
  checkPassword(password, name);
  const hash = await tools.passwords.hash(password);
  const version = createId(tools.random, 16);
  return changeUser(tools, name, (one) => withPassword(one, hash, version));
}

/** Stores a new hash of the same password; sessions continue. */
export async function renewHash(
  { store, passwords }: AccountTools,
  user: User,
  password: string,
): Promise<void> {
  const hash = await passwords.hash(password);
  await store.change(
    (accounts) =>
    withUser(accounts, user.name, (one) => one.password === user.password ? { ...one, password: hash } : one), // prettier-ignore
  );
}

/** Uses a link: sets the password that the user has chosen. Throws `invalid` (bad_link). */
export async function acceptInvite(
  tools: AccountTools,
  given: { readonly name: string; readonly code: string; readonly password: string },
): Promise<User> {
  const { name, code, password } = given;
  const isOpen = (user: User | undefined) =>
    user?.invite !== undefined &&
    isEqual(user.invite.hash, hashOf(code)) &&
    Date.parse(user.invite.until) >= tools.clock.nowMs();
  if (!isOpen(find(await tools.store.read(), name))) throw badLink();
  checkPassword(password, name);
  const hash = await tools.passwords.hash(password);
  const version = createId(tools.random, 16);
  return changeUser(tools, name, (user) => {
    // If two requests use the link at once, the second one fails.
    if (!isOpen(user)) throw badLink();
    return withPassword(user, hash, version);
  });
}

/** Ends sessions and tokens of the user. */
export async function removeUser({ store }: AccountTools, name: string): Promise<void> {
  await store.change((accounts) => {
    if (!find(accounts, name)) throw noUser(name);
    return {
      ...accounts,
      users: accounts.users.filter((one) => one.name !== name),
      tokens: accounts.tokens.filter(({ user }) => user !== name),
    };
  });
}

/** Also invalidates an open link. */
function withPassword(user: User, password: string, version: string): User {
  const { invite: used, ...kept } = user;
  return used === undefined && user.password === password ? user : { ...kept, password, version };
}

/** The public part of a user, without hashes. */
export const describeUser = ({ name, role, password, invite, createdAt, createdBy }: User) => ({
  name,
  role,
  hasPassword: password !== undefined,
  linkUntil: invite?.until ?? null,
  createdAt,
  createdBy,
});

export const find = (accounts: Accounts, name: string): User | undefined =>
  accounts.users.find((one) => one.name === name);

async function changeUser(
  { store }: AccountTools,
  name: string,
  change: (user: User) => User,
): Promise<User> {
  return find(await store.change((accounts) => withUser(accounts, name, change)), name)!;
}

function withUser(accounts: Accounts, name: string, change: (user: User) => User): Accounts {
  const before = find(accounts, name);
  if (!before) throw noUser(name);
  const after = change(before);
  if (after === before) return accounts;
  return { ...accounts, users: accounts.users.map((one) => (one === before ? after : one)) };
}

function makeInvite(tools: AccountTools) {
  const code = createId(tools.random, 40);
  const until = new Date(tools.clock.nowMs() + inviteMs).toISOString();
  return { code, invite: { hash: hashOf(code), until } };
}

export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Compares in constant time. Both texts are hashes. */
export const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

export const nowText = ({ clock }: Pick<AccountTools, "clock">): string =>
  new Date(clock.nowMs()).toISOString();

const userExists = (name: string) =>
  new AppError("conflict", "user_exists", `there is a user ${name} already`);

const noUser = (name: string) =>
  new AppError("invalid", "no_user", `there is no user ${name}: \`forager user list\` shows all`);

const tooManyUsers = () =>
  new AppError("invalid", "too_many_users", `there are ${usersMax} users, which is the limit`);

const badLink = () =>
  new AppError(
    "invalid",
    "bad_link",
    "this link was used, or is too old: an administrator makes a new one with `forager user password`",
  );
