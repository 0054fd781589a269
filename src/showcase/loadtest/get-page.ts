import { Agent, request } from "node:http";

export interface Page {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly bytes: number;
}

/** Half the work of `fetch`: the load test measures the queue and its workers, not HTTP. */
export function createGetPage(connectionsMax: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  return (url: string, signal: AbortSignal): Promise<Page> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { agent, signal }, (answer) => {
        let bytes = 0;
        answer.on("data", (chunk: Buffer) => (bytes += chunk.length));
        answer.once("error", reject);
        answer.once("end", () => {
          const retryAfterMs = Number(answer.headers["retry-after"] ?? 0) * 1_000;
          resolve({ status: answer.statusCode ?? 0, retryAfterMs, bytes });
        });
      });
      sent.once("error", reject);
      sent.end();
    });
}
