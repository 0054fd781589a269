import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { AppError } from "../base/app-error.ts";
import { createId } from "../base/ids.ts";
import type { Service } from "../base/service.ts";
import { createAccess } from "./access.ts";
import { limitConnections } from "./connection-limit.ts";
import { createApi, type ApiContext } from "./create-api.ts";
import { createLiveHub } from "./live/live-hub.ts";
import { isAnyHost, isLoopbackHost, originOf, parseListen } from "./listen-address.ts";
import type { ApiServices } from "./services.ts";
import { openStaticFiles } from "./static-files.ts";
import type { AccountStore } from "./users/account-store.ts";
import type { PasswordCost } from "./users/passwords.ts";
import type { ProviderSignInOptions } from "./users/provider-sign-in.ts";
import type { SessionLimits } from "./users/sessions.ts";

export interface ApiServerOptions {
  readonly services: ApiServices;
  /**
   * HOST:PORT; port 0 selects a free one. Hosts other than loopback require users: see
   * `mayBeReached`.
   */
  readonly listen: string;
  readonly names: readonly string[];
  /** There are users, so the server may accept other machines. */
  readonly mayBeReached: boolean;
  /**
   * The address that people use, such as https://forager.example; absent: the address it listens
   * on.
   */
  readonly publicUrl?: string | undefined;
  /** Both in PEM format. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses and networks of the proxies in front of the server. */
  readonly proxies: readonly string[];
  readonly token: string;
  /** Requests from loopback need no credentials. */
  readonly isOpen: boolean;
  readonly accounts: AccountStore;
  readonly accountsMaxAgeMs: number;
  readonly passwordCost?: PasswordCost | undefined;
  readonly sessionLimits: SessionLimits;
  /** Connections without any traffic for this long are closed. Default: ten minutes. */
  readonly stillMsMax?: number | undefined;
  /** An identity provider for signing in. */
  readonly provider?: ProviderSignInOptions | undefined;
  /** The folder of the built dashboard. */
  readonly dashboardFolder: string;
}

export interface ApiServer extends Service {
  /** The address it listens on, `http://HOST:PORT`; available after the start. */
  origin(): string;
  /** The address for commands of this machine. */
  localOrigin(): string;
  /** Other machines can reach it over an unencrypted connection. */
  readonly isExposed: boolean;
  /** A link that opens the dashboard once, within 24 hours. */
  firstLink(): string;
}

const connectionsMax = 1_000;
const firstLinkLifeMs = 24 * 3_600_000;
/** Longer than any response needs to start. Live events have a comment every 15 s. */
const stillMsMaxDefault = 600_000;

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { services, tls, isOpen } = options;
  const { host, port } = parseListen(options.listen, options);
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  let server: Server | undefined;
  let bound = port;
  let localBound = 0;
  // With TLS, another address or a proxy, commands of this machine get a port of their own.
  const needsLocal = tls !== undefined || !isLoopbackHost(host) || options.proxies.length > 0;
  let local: Server | undefined;
  if (options.provider && publicUrl === undefined && !isLoopbackHost(host)) throw needsPublicUrl();
  if (isOpen && needsLocal) throw openToOthers();

  const origin = () => originOf(tls ? "https" : "http", host, bound);
  const localOrigin = () => needsLocal ? originOf("http", "127.0.0.1", localBound) : origin(); // prettier-ignore
  const live = createLiveHub(services);
  const access = createAccess({
    ...options,
    user: services.user,
    clock: services.clock,
    random: services.random,
    log: services.log,
    isWatched: () => live.viewers() > 0,
  });
  const app = createApi({
    services,
    live,
    access,
    perimeter: {
      listenHost: host,
      names: publicUrl ? [...options.names, publicUrl.hostname] : options.names,
      publicHost: publicUrl?.host,
    },
    files: openStaticFiles(options.dashboardFolder),
    origin: localOrigin,
    publicOrigin: () => publicUrl?.origin ?? origin(),
    cookieName(c: ApiContext) {
      const prefix = c.get("client").isSecure ? "__Host-" : "";
      return `${prefix}forager_${c.env?.incoming?.socket.localPort ?? port}`;
    },
    sessionSeconds: options.sessionLimits.lifeMs / 1_000,
    proxies: options.proxies,
    ownPort: () => (needsLocal ? localBound : undefined),
    isListeningEverywhere: publicUrl === undefined && isAnyHost(host),
    isPublicOriginGuessed: publicUrl === undefined,
    provider: options.provider,
  });

  const listen = async (made: Server, at: { readonly host: string; readonly port: number }) => {
    // A slow or silent client must not keep a connection open for ever.
    made.headersTimeout = 10_000;
    made.requestTimeout = 30_000;
    made.keepAliveTimeout = 10_000;
    // The same for a client that does not read its response: a named export would stay locked for
    // others.
    made.timeout = options.stillMsMax ?? stillMsMaxDefault;
    limitConnections(made, connectionsMax);
    await new Promise<void>((resolve, reject) => {
      made.once("error", (cause) => reject(cannotListen(options.listen, cause)));
      made.listen(at.port, at.host, resolve);
    });
    return (made.address() as AddressInfo).port;
  };

  return {
    origin,
    localOrigin,
    isExposed: !isLoopbackHost(host) && tls === undefined && options.proxies.length === 0,
    firstLink: () => `${localOrigin()}/login?code=${access.makeCode(firstLinkLifeMs)}`,
    async start() {
      const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
      const onRequest: RequestListener = (request, response) => {
        answer(request, response).catch((error: unknown) => {
          services.log.error("an answer could not be sent", { error });
          response.destroy();
        });
      };
      const common = { maxHeaderSize: 16_384, connectionsCheckingInterval: 2_000 };
      server = makeServer({ ...common, ...tls }, onRequest, tls !== undefined);
      bound = await listen(server, { host, port });
      if (!needsLocal) return;
      local = makeServer(common, onRequest, false);
      localBound = await listen(local, { host: "127.0.0.1", port: 0 });
    },
    async stop() {
      access.close();
      live.close();
      await Promise.all([close(server), close(local)]);
    },
  };
}

interface ServerSettings {
  readonly maxHeaderSize: number;
  readonly connectionsCheckingInterval: number;
  readonly cert?: string;
  readonly key?: string;
}

/** A certificate that cannot be used is an error in the settings. */
function makeServer(settings: ServerSettings, onRequest: RequestListener, isTls: boolean): Server {
  if (!isTls) return createServer(settings, onRequest);
  try {
    return createTlsServer({ ...settings, minVersion: "TLSv1.2" }, onRequest);
  } catch (cause) {
    const message = `serve.certFile and serve.keyFile cannot be used: ${(cause as Error).message}`;
    throw new AppError("invalid", "bad_certificate", message, { cause });
  }
}

function close(server: Server | undefined): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    if (server) server.close(() => resolve());
    else resolve();
  });
  server?.closeAllConnections();
  return closed;
}

/** A secret that gives full access: 260 random bits. */
export const makeApiToken = (random: ApiServices["random"]): string => createId(random, 52);

const openToOthers = () =>
  new AppError(
    "invalid",
    "open_to_others",
    "--open-loopback is for a server that only this machine reaches: leave it out, or listen on 127.0.0.1 without TLS and proxies",
  );

const needsPublicUrl = () =>
  new AppError(
    "invalid",
    "oidc_needs_public_url",
    "oidc.issuer needs serve.publicUrl, such as https://forager.example: the identity provider sends people back to it",
  );

const cannotListen = (listen: string, cause: Error) =>
  new AppError(
    "unavailable",
    "cannot_listen",
    `cannot listen on ${listen}: ${cause.message}; serve.listen and --listen take another address`,
    { cause },
  );
