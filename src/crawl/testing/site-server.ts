/** A real web server on loopback that records every request with its time. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "../../base/clock.ts";

export type SiteAnswer = (request: IncomingMessage, response: ServerResponse) => void;

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly atMs: number;
}

export interface SiteServer extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  readonly connections: () => number;
}

export interface SiteServerOptions {
  /** By path without the query; text is sent as HTML. Other paths get 404. */
  readonly pages: Readonly<Record<string, SiteAnswer | string>>;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** A loopback address, default 127.0.0.1. */
  readonly address?: string;
}

export async function startSiteServer(options: SiteServerOptions): Promise<SiteServer> {
  const { pages, tls, address = "127.0.0.1" } = options;
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const answer: SiteAnswer = (request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push({ method, path: url, headers, atMs: systemClock.monotonicMs() });
    const page = pages[url.split("?")[0]!];
    if (typeof page === "function") return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
    });
    response.end(page ?? "<h1>Not here</h1>");
  };
  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls ? "https" : "http"}://${address}:${port}`,
    port,
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

export const redirectTo =
  (location: string, status = 302): SiteAnswer =>
  (_, response) =>
    void response.writeHead(status, { location }).end();
