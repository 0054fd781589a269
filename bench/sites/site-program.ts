/**
 * The web server of the crawl benches, in a process of its own: its work is nobody's. Hosts are told
 * apart by the Host header. It keeps the moment of each request, and tells when it is asked.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pageHtml, pageNumber, type SiteShape } from "./site-pages.ts";

export interface SiteLog {
  readonly requests: number;
  /** Of one host, start to start, in milliseconds, rising. */
  readonly gapsMs: readonly number[];
  readonly hosts: number;
  /** Pages that were asked for more than once. */
  readonly repeated: number;
  readonly firstToLastMs: number;
}

process.once("disconnect", () => process.exit(0));

const shape = JSON.parse(process.argv[2]!) as SiteShape;
const pages = Array.from({ length: shape.pages }, (_, number) =>
  Buffer.from(pageHtml(shape, number)),
);
const momentsByHost = new Map<string, number[]>();
const seen = new Map<string, number>();

const server = createServer((request, response) => {
  const nowMs = performance.now();
  const { host = "" } = request.headers;
  const page = pages[pageNumber(request.url ?? "")];
  const moments = momentsByHost.get(host) ?? [];
  momentsByHost.set(host, moments);
  moments.push(nowMs);
  const url = `${host}${request.url}`;
  seen.set(url, (seen.get(url) ?? 0) + 1);
  const head = { "content-type": "text/html; charset=utf-8", "content-length": page?.length ?? 0 };
  response.writeHead(page ? 200 : 404, head).end(page);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () =>
  process.send!({ port: (server.address() as AddressInfo).port }),
);

process.on("message", () => {
  const all = [...momentsByHost.values()];
  const every = all.flat();
  const log: SiteLog = {
    requests: every.length,
    gapsMs: all
      .flatMap((moments) => moments.slice(1).map((moment, at) => moment - moments[at]!))
      .sort((a, b) => a - b),
    hosts: all.length,
    repeated: [...seen.values()].filter((times) => times > 1).length,
    firstToLastMs: Math.max(...every) - Math.min(...every),
  };
  process.send!(log);
});
