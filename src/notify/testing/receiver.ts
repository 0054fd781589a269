import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** Status and headers of one response. */
export type ReceiverAnswer = readonly [status: number, headers?: Readonly<Record<string, string>>];

/** A real server on loopback. It sends the responses in order, then repeats the last one. */
export async function openReceiver(answers: readonly ReceiverAnswer[] = [[200]]) {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      got.push({ path: request.url ?? "", body, headers: request.headers });
      const [status, headers = {}] = answers[Math.min(got.length, answers.length) - 1]!;
      response.writeHead(status, headers).end("thanks");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { got, port, url: `http://127.0.0.1:${port}/hook` };
}

/** The headers that the Standard Webhooks library reads. */
export const signedHeaders = ({ headers }: Received) => ({
  "webhook-id": String(headers["webhook-id"]),
  "webhook-timestamp": String(headers["webhook-timestamp"]),
  "webhook-signature": String(headers["webhook-signature"]),
});
