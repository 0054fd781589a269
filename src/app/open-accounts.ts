import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  addToken,
  addUser,
  createAccountStore,
  createPasswords,
  describeToken,
  describeUser,
  inviteUser,
  removeUser,
  revokeToken,
  roles,
  scopes,
  setPassword,
  setRole,
  tokenDays,
  type AccountMemory,
  type AccountTools,
  type Role,
  type Scope,
} from "../api/index.ts";
import type { Clock } from "../base/clock.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { systemRandom } from "../base/random.ts";
import { usageError } from "../base/usage-error.ts";
import type { Bucket } from "../bucket/index.ts";
import { userName, type Paths, type Settings } from "../config/index.ts";
import { reachOf } from "../gossip/index.ts";
import { locateBucket } from "./bucket/bucket-address.ts";
import {
  hasFleetBucket,
  isFleetBucketCharged,
  openRetryingFleetBucket,
} from "./bucket/fleet-bucket.ts";
import { readServerAddress } from "./serve/server-files.ts";

export interface OpenAccountsOptions {
  readonly settings: Pick<Settings, "bucket" | "serve">;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface OpenAccounts extends AccountTools, AsyncDisposable {
  /** True if requests to the store cost money. */
  readonly isCharged: boolean;
}

/**
 * Opens users and tokens: in the bucket of the fleet, or without one in a file that only this user
 * can read.
 */
export async function openAccounts(options: OpenAccountsOptions): Promise<OpenAccounts> {
  const { clock } = options;
  const random = systemRandom;
  const isShared = hasFleetBucket(options);
  const bucket = isShared ? await openRetryingFleetBucket(options) : await openOwnFolder(options);
  return {
    store: createAccountStore({ bucket, clock, random, memory: isShared ? await openMemory(options) : undefined }), // prettier-ignore
    passwords: createPasswords({ clock, random }),
    clock,
    random,
    isCharged: isFleetBucketCharged(options),
    [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose](),
  };
}

/** Remembers in the data folder from which bucket users were read. */
async function openMemory(options: OpenAccountsOptions): Promise<AccountMemory> {
  const file = options.paths.resolve("node", "users.seen");
  const { settings, paths } = options;
  const address = await locateBucket({ url: settings.bucket.url, password: undefined }, paths);
  const hash = createHash("sha256")
    .update(address ?? "")
    .digest("hex");
  const isKnown = () => existsSync(file) && readFileSync(file, "utf8").trim() === hash;
  let isNoted = isKnown();
  return {
    file,
    isKnown,
    note() {
      if (isNoted) return;
      isNoted = true;
      try {
        makeFolder(dirname(file), { mode: 0o700 });
        writeFileSync(file, `${hash}\n`, { mode: 0o600 });
      } catch {
        // The disk is full or the folder is read-only; accounts work without the memory.
      }
    },
  };
}

async function openOwnFolder({ paths, clock }: OpenAccountsOptions): Promise<Bucket> {
  const root = paths.resolve("node", "users");
  makeFolder(root, { mode: 0o700 });
  const { openDirectoryBucket } = await import("../bucket/adapters/directory/directory-bucket.ts");
  return openDirectoryBucket({ root, clock, random: systemRandom, fileMode: 0o600 });
}

/**
 * The operations on users and tokens for commands: the same functions that the routes of the API
 * call.
 */
export async function openAccountService(options: OpenAccountsOptions) {
  const tools = await openAccounts(options);
  const by = userName();
  const withLink = async ({ user, code }: Awaited<ReturnType<typeof addUser>>) => ({
    user: describeUser(user),
    link: `${await publicOrigin(options)}/welcome#${encodeURIComponent(user.name)}/${code}`,
  });
  return {
    /** Undefined if there is no user with this name. */
    userOf: async (name: string) =>
      (await tools.store.read()).users.filter((one) => one.name === name).map(describeUser).at(0), // prettier-ignore
    tokenOf: async (id: string) =>
      (await tools.store.read()).tokens.filter((one) => one.id === id).map(describeToken).at(0), // prettier-ignore
    listUsers: async () => (await tools.store.read()).users.map(describeUser),
    addUser: async (name: string, role: string) =>
      withLink(await addUser(tools, { name, role: checkRole(role), by })),
    setRole: async (name: string, role: string) =>
      describeUser(await setRole(tools, name, checkRole(role))),
    makeLink: async (name: string) => withLink(await inviteUser(tools, name)),
    setPassword: async (name: string, password: string) =>
      describeUser(await setPassword(tools, name, password)),
    removeUser: (name: string) => removeUser(tools, name),
    listTokens: async () => (await tools.store.read()).tokens.map(describeToken),
    async addToken(added: {
      readonly name: string;
      readonly scopes: readonly string[];
      readonly user?: string | undefined;
      readonly days?: number | undefined;
    }) {
      // prettier-ignore
      const { token, secret } = await addToken(tools, {
        name: added.name,
        scopes: checkScopes(added.scopes),
        days: checkDays(added.days ?? tokenDays.default),
        user: added.user,
        by,
      });
      return { ...describeToken(token), token: secret };
    },
    revokeToken: (id: string) => revokeToken(tools, id),
    [Symbol.asyncDispose]: () => tools[Symbol.asyncDispose](),
  };
}

export type AccountService = Awaited<ReturnType<typeof openAccountService>>;

/**
 * The address of the server for people: the configured one, that of the running server, or that of
 * a future one.
 */
async function publicOrigin({ settings, paths }: OpenAccountsOptions): Promise<string> {
  const { publicUrl, listen, certFile } = settings.serve;
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, "");
  const running = await readServerAddress(paths);
  const scheme = certFile === undefined ? "http" : "https";
  const listens = running?.listens ?? `${scheme}://${listen === "off" ? "127.0.0.1:4870" : listen}`;
  const [, before = "", port = ""] =
    /^(https?:\/\/)(?:0\.0\.0\.0|\[::\]|\*):(\d+)$/.exec(listens) ?? [];
  if (port === "") return listens;
  // If it listens on all addresses: the one by which other machines of this network can reach it.
  const [reachable = `127.0.0.1:${port}`] = reachOf({ bound: `0.0.0.0:${port}` }).own;
  return `${before}${reachable}`;
}

function checkRole(text: string): Role {
  const role = roles.find((one) => one === text);
  if (role) return role;
  throw usageError(`'${text}' is not a role: use one of ${roles.join(", ")}`);
}

function checkScopes(texts: readonly string[]): readonly Scope[] {
  return texts.map((text) => {
    const scope = scopes.find((one) => one === text);
    if (scope) return scope;
    throw usageError(`'${text}' is not a scope: use some of ${scopes.join(", ")}`);
  });
}

function checkDays(days: number): number {
  if (days >= 1 && days <= tokenDays.max) return days;
  throw usageError(`a token is valid for 1 to ${tokenDays.max} days, not ${days}`);
}
