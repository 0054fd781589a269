import { createServer } from "node:net";
import { randomInt } from "node:crypto";
import { AppError } from "../../src/base/app-error.ts";

/**
 * A loopback port that nobody listens on. Below 32768, because the kernel gives the ports above
 * it to outgoing connections and could take ours before the server has it.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
  throw new AppError("unavailable", "no_free_port", "no free port in 20000-32000 on 127.0.0.1");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () =>
      server.close(() => resolve(true)),
    );
  });
}
