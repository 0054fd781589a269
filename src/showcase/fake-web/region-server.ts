import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sleep, type Clock } from "../../base/clock.ts";
import type { FakeAnswer, Site } from "./site.ts";

/** All sites of a region on one server on loopback, distinguished by the Host header. */
export interface RegionServer extends AsyncDisposable {
  readonly port: number;
  /** Every request, in order of arrival: an independent record of what visitors did. */
  readonly requests: () => readonly RegionRequest[];
  /** The shortest time between the starts of two requests to one host; undefined below two. */
  gapMsMin(host: string): number | undefined;
}

export interface RegionRequest {
  readonly host: string;
  readonly path: string;
  readonly method: string;
  /** By the server's monotonic clock. */
  readonly atMs: number;
  readonly status: number;
  readonly userAgent: string;
}

export interface RegionServerOptions {
  readonly sites: readonly Site[];
  readonly clock: Clock;
  /** 0 (the default) takes a free one. */
  readonly port?: number;
}

const retryAfterS = 1;

export async function startRegionServer({
  sites,
  clock,
  port = 0,
}: RegionServerOptions): Promise<RegionServer> {
  const byHost = new Map(sites.flatMap((site) => site.hosts.map((host) => [host, site] as const)));
  const requests: RegionRequest[] = [];
  const busyOnce = new Set<string>();

  function answerOf(host: string, path: string): FakeAnswer {
    const answer = byHost.get(host)?.answer(path) ?? nowhere;
    if (!answer.isBusyFirst || busyOnce.has(`${host} ${path}`)) return answer;
    busyOnce.add(`${host} ${path}`);
    return {
      status: 429,
      headers: { "retry-after": String(retryAfterS) },
      body: Buffer.from("slower"),
    };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = clock.monotonicMs();
    const host = (request.headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
    const { url: path = "/", method = "GET", headers } = request;
    const answer = answerOf(host, path);
    requests.push({
      host,
      path,
      method,
      atMs,
      status: answer.status,
      userAgent: headers["user-agent"] ?? "",
    });
    if (answer.delayMs !== undefined) await sleep(clock, answer.delayMs);
    if (response.destroyed) return;
    response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
    response.end(method === "HEAD" ? undefined : answer.body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    gapMsMin(host) {
      const moments = requests.filter((one) => one.host === host).map(({ atMs }) => atMs);
      const gaps = moments.slice(1).map((atMs, index) => atMs - moments[index]!);
      return gaps.length > 0 ? Math.min(...gaps) : undefined;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const nowhere: FakeAnswer = {
  status: 404,
  headers: { "content-type": "text/plain" },
  body: Buffer.from("no such site"),
};
