import {
  createApiServer,
  makeApiToken,
  type ApiServer,
  type ApiServices,
} from "../../api/index.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { packageFile } from "../../base/package-files.ts";
import { systemRandom } from "../../base/random.ts";
import type { Service } from "../../base/service.ts";
import { asUsage } from "../../base/usage-error.ts";
import type { LoadedSettings, Paths } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import type { HealthSource } from "../../observe/index.ts";
import { openFolderSecret } from "../folder-secret.ts";
import { openServiceNode } from "../open-service-node.ts";
import { createApiServices } from "./api-services.ts";
import { apiTokenFile, removeServerAddress, writeServerAddress } from "./server-files.ts";

export interface ServeOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  /** Instead of the setting `serve.listen`. */
  readonly listen?: string | undefined;
  /** Loopback needs no secret. */
  readonly isOpen: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** API and dashboard of a data folder, with the node that they need. */
export interface Serve extends Service, AsyncDisposable {
  origin(): string;
  /** Opens the dashboard once. */
  firstLink(): string;
  /** Rejects when the data folder is gone. */
  readonly gone: Promise<never>;
}

/** What `forager serve` runs: it owns the data folder, or is a client of the process that does. */
export async function openServe(options: ServeOptions): Promise<Serve> {
  const node = await openServiceNode(options);
  try {
    const server = await openApiServer({ ...options, node: node.api });
    return {
      gone: node.gone,
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
  /** Of a process that does more than serve. */
  readonly health?: HealthSource;
  readonly history?: ApiServices["history"];
}

/** The server alone, for a process that has the node open already. */
export async function openApiServer(
  options: OpenApiServerOptions,
): Promise<ApiServer & AsyncDisposable> {
  const { loaded, paths, listen, isOpen, node, health, history, clock, log, signal } = options;
  const { settings } = loaded;
  const token = await openFolderSecret({
    file: apiTokenFile(paths),
    make: () => makeApiToken(systemRandom),
  });
  const services = createApiServices({ loaded, paths, node, health, history, clock, log, signal });
  const server = await asUsage(async () =>
    createApiServer({
      services,
      listen: listen ?? listenOf(settings.serve.listen),
      names: settings.serve.names.split(",").filter((name) => name !== ""),
      token,
      isOpen,
      dashboardFolder: packageFile("dist/dashboard"),
    }),
  );
  const address = () => ({ origin: server.origin(), pid: process.pid });
  const stop = async () => {
    await removeServerAddress(paths, address()).catch(() => {}); // a stale file is recognised
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
    },
  };
}

/** `off` is for `forager up`; whoever starts a server wants one. */
const listenOf = (setting: string) => (setting === "off" ? "127.0.0.1:4870" : setting);
