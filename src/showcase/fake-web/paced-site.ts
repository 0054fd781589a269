import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";

/** Many sites on one server on loopback: no traffic leaves the machine. */
export interface PacedSite extends AsyncDisposable {
  readonly url: string;
  readonly answers: () => Readonly<Record<AnswerKind, number>>;
}

const answerKinds = ["good", "slow_body", "error", "refused", "reset"] as const;
type AnswerKind = (typeof answerKinds)[number];

/** Shares of bad answers. */
const shares: readonly (readonly [AnswerKind, number])[] = [
  ["error", 0.03],
  ["refused", 0.02],
  ["reset", 0.01],
  ["slow_body", 0.02],
];
export const retryAfterS = 1;

export async function openPacedSite(clock: Clock, random: Random): Promise<PacedSite> {
  const answers: Record<AnswerKind, number> = {
    good: 0,
    slow_body: 0,
    error: 0,
    refused: 0,
    reset: 0,
  };
  const server = createServer((request, response) => {
    const manner = pick(random);
    answers[manner] += 1;
    void answer(manner, response, { clock, latencyMs: 5 + random.next() * 45 }).catch(() =>
      request.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answers: () => ({ ...answers }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function pick(random: Random): AnswerKind {
  let left = random.next();
  for (const [manner, share] of shares) {
    if (left < share) return manner;
    left -= share;
  }
  return "good";
}

async function answer(
  manner: AnswerKind,
  response: ServerResponse,
  { clock, latencyMs }: { readonly clock: Clock; readonly latencyMs: number },
): Promise<void> {
  await sleep(clock, latencyMs);
  switch (manner) {
    case "good":
      return void response.end("<html>a page</html>");
    case "error":
      return void response.writeHead(500).end("sorry");
    case "refused":
      return void response.writeHead(429, { "retry-after": String(retryAfterS) }).end("slower");
    case "reset":
      return void response.socket?.resetAndDestroy();
    case "slow_body":
      response.write("<html>");
      for (let part = 0; part < 5; part++) {
        await sleep(clock, 60);
        response.write("part ");
      }
      return void response.end("</html>");
  }
}
