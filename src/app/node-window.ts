import { timingSafeEqual } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { dirname } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import type { Paths } from "../config/index.ts";

export interface NodeWindowOptions {
  readonly paths: Pick<Paths, "resolve">;
  readonly random: Random;
  readonly pid: number;
  /** What is shown, made anew for everybody who looks. */
  readonly show: () => string | Promise<string>;
}

const fileOf = (paths: Pick<Paths, "resolve">) => paths.resolve("fleet", "window.json");

/**
 * Where other processes of this machine look at what a running node knows: on loopback, to who can
 * read a file of the data folder. Nothing is written while nobody looks, which a memory card of a
 * small computer would not like every second.
 */
export function createNodeWindow({ paths, random, pid, show }: NodeWindowOptions): Service {
  const token = createId(random, 52);
  let server: Server | undefined;
  return {
    async start() {
      const opened = createServer((request, response) => {
        request.resume();
        if (!isSame(request.headers.authorization, `Bearer ${token}`)) {
          return void response.writeHead(403).end();
        }
        void Promise.resolve(show()).then(
          (text) => response.writeHead(200, { "content-type": "application/json" }).end(text),
          () => response.writeHead(500).end(),
        );
      });
      opened.requestTimeout = 5_000;
      const port = await listen(opened);
      opened.unref();
      server = opened;
      const file = fileOf(paths);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const text = `${JSON.stringify({ format: 1, port, token, pid })}\n`;
      await writeFileAtomic(file, text, { mode: 0o600 });
    },
    async stop() {
      const mine = server;
      if (!mine) return;
      server = undefined;
      const found = await readWindowFile(paths);
      if (found?.token === token) await rm(fileOf(paths), { force: true });
      mine.closeAllConnections();
      await new Promise((resolve) => mine.close(resolve));
    },
  };
}

/** Undefined: no node runs here, or it does not answer. */
export async function lookIntoWindow(
  paths: Pick<Paths, "resolve">,
  { timeoutMs = 2_000 }: { readonly timeoutMs?: number } = {},
): Promise<string | undefined> {
  const found = await readWindowFile(paths);
  if (!found) return undefined;
  try {
    const answer = await fetch(`http://127.0.0.1:${found.port}/`, {
      headers: { authorization: `Bearer ${found.token}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    return answer.status === 200 ? await answer.text() : undefined;
  } catch {
    return undefined; // the process that wrote the file is gone
  }
}

async function readWindowFile(paths: Pick<Paths, "resolve">) {
  try {
    const found = JSON.parse(await readFile(fileOf(paths), "utf8")) as WindowFile;
    return Number.isInteger(found.port) && typeof found.token === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}

interface WindowFile {
  readonly port: number;
  readonly token: string;
}

const listen = (server: Server) =>
  new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });

function isSame(given: string | undefined, wanted: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(wanted)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
