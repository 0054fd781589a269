import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { repositoryRoot } from "../../support/repository.ts";

export type Answer = { readonly status?: number; readonly body: unknown } | undefined;
export type Answers = (request: { readonly method: string; readonly path: string; readonly query: URLSearchParams }) => Answer; // prettier-ignore

/** As the real server sends it. */
export const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"; // prettier-ignore

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

const liveAnswers = {
  status: "/api/status",
  campaigns: "/api/campaigns",
  queue: "/api/queue/stats",
};

/** A snapshot of each topic. More are sent only by `push`. */
function sendEvents(response: ServerResponse, answers: Answers): void {
  const session = answers({ method: "GET", path: "/api/session", query: new URLSearchParams() });
  if ((session?.status ?? 200) !== 200) {
    response.writeHead(session!.status!, { "content-type": "application/json" });
    return void response.end(JSON.stringify(session!.body));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(": begins\n\n");
  for (const [topic, path] of Object.entries(liveAnswers)) {
    const found = answers({ method: "GET", path, query: new URLSearchParams() });
    if (!found || (found.status ?? 200) !== 200) continue;
    response.write(`data: ${JSON.stringify({ kind: "snapshot", topic, value: found.body })}\n\n`);
  }
}

/** The built dashboard with made-up answers. */
export async function startFixtureServer(answers: Answers) {
  const folder = join(repositoryRoot, "dist", "dashboard");
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    response.setHeader("content-security-policy", contentPolicy);
    response.setHeader("x-content-type-options", "nosniff");
    if (pathname === "/api/events") {
      streams.add(response);
      response.on("close", () => streams.delete(response));
      return sendEvents(response, answers);
    }
    if (pathname.startsWith("/api/")) {
      const found = answers({
        method: request.method ?? "GET",
        path: pathname,
        query: searchParams,
      });
      const status = found ? (found.status ?? 200) : 404;
      const body = found ? found.body : { type: "about:blank", title: "Not found", status, detail: pathname, code: "not_found", requestId: "" }; // prettier-ignore
      response.writeHead(status, { "content-type": "application/json" });
      return void response.end(JSON.stringify(body));
    }
    const isPage = extname(pathname) === "";
    const path = join(folder, isPage ? "index.html" : normalize(pathname));
    try {
      const bytes = await readFile(path);
      response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Sends a live event to all open pages. */
    push(topic: string, value: unknown) {
      for (const stream of streams) stream.write(`data: ${JSON.stringify({ kind: "snapshot", topic, value })}\n\n`); // prettier-ignore
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
