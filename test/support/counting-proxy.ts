import { createServer, request as send, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A way to an S3 server that counts what really arrives, by operation, and answers 503 to some. */
export interface CountingProxy extends AsyncDisposable {
  readonly endpoint: string;
  readonly requests: ReadonlyMap<string, number>;
  /** Requests that were not done: 404 and 412 are answers, other statuses from 400 on are not. */
  failed(): number;
}

export async function openCountingProxy(
  endpoint: string,
  isRefused: (count: number, path: string) => boolean,
): Promise<CountingProxy> {
  const target = new URL(endpoint);
  const requests = new Map<string, number>();
  let count = 0;
  let failed = 0;
  const server = createServer((near, answer) => {
    const operation = operationOf(near);
    requests.set(operation, (requests.get(operation) ?? 0) + 1);
    count += 1;
    if (isRefused(count, near.url ?? "")) {
      failed += 1;
      near.resume();
      near.on("end", () => answer.writeHead(503).end());
      return;
    }
    // With its own Host, which is signed.
    const { method, url: path, headers } = near;
    const { hostname, port } = target;
    // A connection for each request: an idle one may end at the moment it is used again.
    const far = send({ hostname, port, method, path, headers, agent: false }, (got) => {
      const { statusCode = 500 } = got;
      if (statusCode >= 400 && statusCode !== 404 && statusCode !== 412) failed += 1;
      answer.writeHead(statusCode, got.headers);
      got.pipe(answer);
    });
    far.on("error", () => answer.destroy());
    near.pipe(far);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    failed: () => failed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function operationOf({ method, url = "", headers }: IncomingMessage): string {
  if (method === "GET") return url.includes("list-type=2") ? "list" : "get";
  if (method === "DELETE") return "delete";
  if (method !== "PUT") return String(method);
  if (headers["if-none-match"] !== undefined) return "putIfAbsent";
  return headers["if-match"] === undefined ? "put" : "putIfMatch";
}
