import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

export interface StaticServer {
  readonly origin: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  stop(): Promise<void>;
}

/** A web host that knows nothing of Forager: it sends the files of a folder, below a path. */
export async function serveFolder(folder: string, below: string): Promise<StaticServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    asked.push(pathname);
    const path = normalize(pathname.slice(below.length));
    const file = path === "/" || path === "." || path === "" ? "index.html" : path;
    if (!pathname.startsWith(below) || file.includes(".."))
      return void response.writeHead(404).end();
    readFile(join(folder, file)).then(
      (bytes) => {
        const type = types[extname(file)] ?? "application/octet-stream";
        response.writeHead(200, { "content-type": type }).end(bytes);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
