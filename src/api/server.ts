import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { AppError } from "../base/app-error.ts";
import { createId } from "../base/ids.ts";
import type { Service } from "../base/service.ts";
import { createAccess, type AccessOptions } from "./access.ts";
import { createApi } from "./create-api.ts";
import { createLiveHub } from "./live/live-hub.ts";
import type { ApiServices } from "./services.ts";
import { openStaticFiles } from "./static-files.ts";

export interface ApiServerOptions {
  readonly services: ApiServices;
  /** HOST:PORT; port 0 takes a free one. */
  readonly listen: string;
  readonly names: readonly string[];
  readonly token: string;
  /** Loopback needs no secret. */
  readonly isOpen: boolean;
  /** The folder of the built dashboard. */
  readonly dashboardFolder: string;
}

export interface ApiServer extends Service {
  /** `http://HOST:PORT`, after the start. */
  origin(): string;
  /** A link that opens the dashboard once; it works until it is used. */
  firstLink(): string;
}

const connectionsMax = 1_000;
const firstLinkLifeMs = 24 * 3_600_000;

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { services } = options;
  const { host, port } = parseApiListen(options.listen);
  let bound: number | undefined;
  let server: Server | undefined;
  const origin = () => `http://${host.includes(":") ? `[${host}]` : host}:${bound ?? port}`;
  const { clock, random, user } = services;
  const accessOptions: AccessOptions = { ...options, user, clock, random };
  const access = createAccess(accessOptions);
  const live = createLiveHub(services);
  const app = createApi({
    services,
    live,
    access,
    perimeter: { listenHost: host, names: options.names },
    files: openStaticFiles(options.dashboardFolder),
    origin,
    cookieName: () => `forager_${bound ?? port}`,
  });
  return {
    origin,
    firstLink: () => `${origin()}/login?code=${access.makeCode(firstLinkLifeMs)}`,
    async start() {
      const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
      server = createServer(
        { maxHeaderSize: 16_384, connectionsCheckingInterval: 2_000 },
        (request, response) => {
          answer(request, response).catch((error: unknown) => {
            services.log.error("an answer could not be sent", { error });
            response.destroy();
          });
        },
      );
      // A slow or silent client must not hold a connection for ever.
      server.headersTimeout = 10_000;
      server.requestTimeout = 30_000;
      server.keepAliveTimeout = 10_000;
      server.maxConnections = connectionsMax;
      await new Promise<void>((resolve, reject) => {
        server!.once("error", (cause) => reject(cannotListen(options.listen, cause)));
        server!.listen(port, host, resolve);
      });
      bound = (server.address() as AddressInfo).port;
    },
    async stop() {
      live.close();
      const closed = new Promise<void>((resolve) => {
        if (server) server.close(() => resolve());
        else resolve();
      });
      server?.closeAllConnections();
      await closed;
    },
  };
}

/** A secret that opens everything: 260 random bits. */
export const makeApiToken = (random: ApiServices["random"]): string => createId(random, 52);

/** Until there are users, only programs of this machine may reach the server. */
function parseApiListen(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    const message = `"${text}" is no address to listen on: write HOST:PORT, such as 127.0.0.1:4870`;
    throw new AppError("invalid", "bad_listen", message);
  }
  if (!/^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|::1)$/.test(host)) {
    throw new AppError(
      "invalid",
      "listen_needs_users",
      `${text} can be reached from other machines, and there are no users yet who could sign in: ` +
        "listen on 127.0.0.1, and reach it from elsewhere through `ssh -L 4870:127.0.0.1:4870 HOST`",
    );
  }
  return { host, port: Number(port) };
}

const cannotListen = (listen: string, cause: Error) =>
  new AppError(
    "unavailable",
    "cannot_listen",
    `cannot listen on ${listen}: ${cause.message}; serve.listen and --listen take another address`,
    { cause },
  );
