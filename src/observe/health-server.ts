import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError } from "../base/app-error.ts";
import type { Service } from "../base/service.ts";
import { answerHealth, healthPaths, type HealthSource } from "./health-pages.ts";
import { isOwnHost } from "./is-own-host.ts";

export interface HealthServerOptions {
  /** HOST:PORT; port 0 takes a free one. */
  readonly listen: string;
  /** Host names that requests may use, beside addresses and `localhost`. */
  readonly names: () => readonly string[];
  /** The token that a client sends as `Authorization: Bearer TOKEN` to read metrics. */
  readonly readToken: () => Promise<string>;
  readonly source: HealthSource;
}

export interface HealthServer extends Service {
  /** Available after the start. */
  address(): string;
}

/**
 * Serves /metrics, /healthz and /readyz, and nothing else. Metrics need the token, whatever address
 * the client has: another user of this machine is a stranger, and so is a web page that reaches
 * loopback through a browser. Everybody may ask whether the node is healthy, because health probes
 * rarely hold a secret; the reasons need the token.
 */
export function createHealthServer(options: HealthServerOptions): HealthServer {
  const { host, port } = parseListen(options.listen);
  let server: Server | undefined;
  let address = "";

  return {
    address: () => address,
    async start() {
      const token = await options.readToken();
      server = createServer((request, response) => {
        const { localAddress } = request.socket;
        const isOwn = isOwnHost(request.headers.host, {
          listenHost: host,
          localAddress,
          names: options.names(),
        });
        const path = healthPaths.find((one) => one === (request.url ?? "").split("?")[0]);
        const isRead = request.method === "GET" || request.method === "HEAD";
        const send = ({ status, type, body }: Answer) => {
          response.writeHead(status, {
            "content-type": type,
            "cache-control": "no-store",
            ...(status === 401 && { "www-authenticate": "Bearer" }),
          });
          response.end(request.method === "HEAD" ? undefined : body);
        };
        if (!isOwn) return send(misdirected);
        if (path === undefined || !isRead) return send(notFound);
        answerHealth(path, options.source, hasToken(request, token)).then(send, () =>
          response.destroy(),
        );
      });
      // A slow or silent client must not hold a connection for ever.
      server.requestTimeout = 10_000;
      server.maxConnections = 50;
      await new Promise<void>((resolve, reject) => {
        server!.once("error", (cause) => reject(cannotListen(options.listen, cause)));
        server!.listen(port, host, resolve);
      });
      const bound = server.address() as AddressInfo;
      address = `${host.includes(":") ? `[${host}]` : host}:${bound.port}`;
    },
    async stop() {
      server?.closeAllConnections();
      await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const notFound: Answer = { status: 404, type: "text/plain", body: "not found\n" };

const misdirected: Answer = {
  status: 421,
  type: "text/plain",
  body:
    "this server does not serve the requested host name: use its address, or add the " +
    "name to the setting work.listenNames\n",
};

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [given, expected] = [
    Buffer.from(headers.authorization ?? ""),
    Buffer.from(`Bearer ${token}`),
  ];
  return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
}

function parseListen(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  const message = `"${text}" is not an address to listen on: write HOST:PORT, such as 127.0.0.1:9464`;
  throw new AppError("invalid", "bad_listen", message);
}

const cannotListen = (listen: string, cause: Error) =>
  new AppError("unavailable", "cannot_listen", `cannot listen on ${listen}: ${cause.message}`, {
    cause,
  });
