import { readFile } from "node:fs/promises";
import {
  createApiServer,
  makeApiToken,
  parseGroupRoles,
  type ApiServer,
  type ApiServices,
  type PasswordCost,
  type ProviderSignInOptions,
} from "../../api/index.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { packageFile } from "../../base/files/package-files.ts";
import { systemRandom } from "../../base/random.ts";
import type { Service } from "../../base/service.ts";
import { AppError } from "../../base/app-error.ts";
import { asUsage, usageError } from "../../base/usage-error.ts";
import type { LoadedSettings, Paths, Settings } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import type { HealthSource } from "../../observe/index.ts";
import { openFolderSecret } from "../node/folder-secret.ts";
import { openAccounts, type OpenAccounts } from "../open-accounts.ts";
import { openServiceNode } from "../node/open-service-node.ts";
import { refuseForgottenTasks } from "../queue/tasks-left-behind.ts";
import { createApiServices } from "./api-services.ts";
import { apiTokenFile, removeServerAddress, writeServerAddress } from "./server-files.ts";

export interface ServeOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  /** Overrides the setting `serve.listen`. */
  readonly listen?: string | undefined;
  /** Requests from loopback need no credentials. */
  readonly isOpen: boolean;
  /** The cost for new password hashes. Default: the normal cost. */
  readonly passwordCost?: PasswordCost | undefined;
  /** Connections without traffic for this long are closed. Absent: the default of the server. */
  readonly stillMsMax?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** API and dashboard of a data folder, with the node that they need. */
export interface Serve extends Service, AsyncDisposable {
  origin(): string;
  /** A link that opens the dashboard once. */
  firstLink(): string;
  /** Other machines can reach it over an unencrypted connection. */
  readonly isExposed: boolean;
  /** Rejects when the data folder no longer exists. */
  readonly gone: Promise<never>;
}

/** The process of `forager serve`: it owns the data folder, or is a client of its owner. */
export async function openServe(options: ServeOptions): Promise<Serve> {
  const { loaded, paths } = options;
  await asUsage(() => refuseForgottenTasks(loaded, paths), ["queue_left_behind"]);
  const node = await openServiceNode(options);
  try {
    const server = await openApiServer({ ...options, node: node.api });
    return {
      gone: node.gone,
      isExposed: server.isExposed,
      origin: () => server.origin(),
      firstLink: () => server.firstLink(),
      async start() {
        await node.start();
        await server.start();
      },
      async stop() {
        await server.stop();
        await node.stop();
      },
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await node[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await node[Symbol.asyncDispose]();
    throw error;
  }
}

export interface OpenApiServerOptions extends ServeOptions {
  readonly node: NodeApi;
  /** Set by a process that does more than serve. */
  readonly health?: HealthSource;
  readonly history?: ApiServices["history"];
}

/** Only the server, for a process that already has the node open. */
export async function openApiServer(
  options: OpenApiServerOptions,
): Promise<ApiServer & AsyncDisposable> {
  const { loaded, paths, listen, isOpen, node, health, history, clock, log, signal } = options;
  const { settings } = loaded;
  const accounts = await openAccounts({ settings, paths, clock, signal });
  const token = await openFolderSecret({
    file: apiTokenFile(paths),
    make: () => makeApiToken(systemRandom),
  });
  const services = createApiServices({ loaded, paths, node, health, history, clock, log, signal });
  const provider = await openProvider(settings.oidc);
  const server = await asUsage(async () =>
    createApiServer({
      services,
      listen: listen ?? listenOf(settings.serve.listen),
      names: listOf(settings.serve.names),
      mayBeReached: provider !== undefined || (await hasUsers(accounts)),
      provider,
      publicUrl: settings.serve.publicUrl,
      tls: await readCertificate(settings.serve),
      proxies: listOf(settings.serve.proxies),
      token,
      isOpen,
      accounts: accounts.store,
      accountsMaxAgeMs: accounts.isCharged ? 5_000 : 1_000,
      passwordCost: options.passwordCost,
      stillMsMax: options.stillMsMax,
      sessionLimits: {
        idleMs: settings.serve.sessionIdleMinutes * 60_000,
        lifeMs: settings.serve.sessionHours * 3_600_000,
      },
      dashboardFolder: packageFile("dist/dashboard"),
    }),
  );
  const address = () => ({ origin: server.localOrigin(), listens: server.origin(), pid: process.pid }); // prettier-ignore
  const stop = async () => {
    await removeServerAddress(paths, address()).catch(() => {}); // a stale file is detected by its readers
    await server.stop();
  };
  return {
    ...server,
    async start() {
      await server.start();
      await writeServerAddress(paths, address());
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await services[Symbol.asyncDispose]();
      await accounts[Symbol.asyncDispose]();
    },
  };
}

const listOf = (setting: string) => setting.split(",").filter((one) => one !== "");

/** If the bucket does not answer, it may contain users, so nobody is admitted until it does. */
async function hasUsers({ store }: OpenAccounts): Promise<boolean> {
  try {
    return (await store.read()).users.length > 0;
  } catch (error) {
    if (error instanceof AppError && error.kind === "unavailable") return true;
    throw error;
  }
}

/** Loaded only if it is configured. */
async function openProvider(oidc: Settings["oidc"]): Promise<ProviderSignInOptions | undefined> {
  const { issuer, clientId, clientSecret, scopes, groupsClaim, roles } = oidc;
  if (issuer === undefined) return undefined;
  if (clientId === undefined) throw usageError("oidc.issuer needs oidc.clientId: the name that the identity provider gave this server"); // prettier-ignore
  if (roles === "") throw usageError('oidc.issuer needs oidc.roles, or nobody could sign in: oidc.roles = ["GROUP=viewer"]'); // prettier-ignore
  const { createOpenIdProvider } =
    await import("../../api/users/adapters/openid/openid-provider.ts");
  const provider = createOpenIdProvider({
    issuer,
    clientId,
    clientSecret: await clientSecret?.reveal(),
    scopes,
    groupsClaim,
  });
  return { provider, roleOfGroup: parseGroupRoles(roles) };
}

async function readCertificate({ certFile, keyFile }: Settings["serve"]) {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw usageError("serve.certFile and serve.keyFile go together: set both, or none");
  }
  const read = async (setting: string, file: string) => {
    try {
      return await readFile(file, "utf8");
    } catch (cause) {
      throw usageError(`${setting} cannot be read: ${(cause as Error).message}`, { cause });
    }
  };
  return {
    cert: await read("serve.certFile", certFile),
    key: await read("serve.keyFile", keyFile),
  };
}

/** `off` applies to `forager up` only; `forager serve` always listens. */
const listenOf = (setting: string) => (setting === "off" ? "127.0.0.1:4870" : setting);
