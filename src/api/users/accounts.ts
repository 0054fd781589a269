import * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import { roles } from "../contract/roles.ts";
import { scopes } from "../contract/route.ts";

/** Lower case, so that no two names look the same. May be an e-mail address. */
export const userNamePattern = /^[a-z0-9][a-z0-9._+@-]{0,63}$/;

const moment = z.iso.datetime();

/** Unknown fields are kept, because a newer version may have written them. */
const userSchema = z.looseObject({
  name: z.string().regex(userNamePattern),
  role: z.enum(roles),
  /** Changes with each change of role or password: sessions with an older version have ended. */
  version: z.string(),
  /** `scrypt$N$r$p$salt$hash`. Absent if the user has not chosen a password yet. */
  password: z.string().optional(),
  /** A one-time link by which the user chooses a password. */
  invite: z.object({ hash: z.string(), until: moment }).optional(),
  createdAt: moment,
  createdBy: z.string(),
});

const tokenSchema = z.looseObject({
  id: z.string(),
  /** The purpose of the token. */
  name: z.string(),
  /** The owner: the token ends with the user, and never has more rights than the user's role. */
  user: z.string().optional(),
  scopes: z.array(z.enum(scopes)),
  /** SHA-256 of the secret. */
  hash: z.string(),
  createdAt: moment,
  createdBy: z.string(),
  expiresAt: moment,
  /** Updated at most once an hour. */
  usedAt: moment.optional(),
});

export const usersMax = 1_000;
export const tokensMax = 1_000;

const accountsSchema = z.looseObject({
  users: z.array(userSchema).max(usersMax),
  tokens: z.array(tokenSchema).max(tokensMax),
});

export type User = Readonly<z.output<typeof userSchema>>;
export type ApiToken = Readonly<z.output<typeof tokenSchema>>;
/** All users who may sign in, and the tokens of programs. */
export interface Accounts {
  readonly users: readonly User[];
  readonly tokens: readonly ApiToken[];
}

export const noAccounts: Accounts = { users: [], tokens: [] };

/** Throws `corrupt` for a value that this program cannot have written: then nobody is admitted. */
export function checkAccounts(value: unknown, key: string): Accounts {
  const parsed = accountsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const text = `${key} is damaged at ${path.join(".")}: ${message}; restore it, or delete it and add the users again`;
  throw new AppError("corrupt", "accounts_corrupt", text);
}
