import { readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import { makeFolder } from "../base/make-folder.ts";
import type { Paths } from "../config/index.ts";
import {
  isSameText,
  lookOut,
  nonceHeader,
  proofHeader,
  proofOf,
  type WindowFile,
} from "./look-into-windows.ts";

export interface NodeWindowOptions {
  readonly paths: Pick<Paths, "resolve">;
  readonly random: Random;
  readonly pid: number;
  /** What is shown, made anew for everybody who looks. */
  readonly show: () => string | Promise<string>;
  /** Whether this process is the one that speaks for its node. */
  readonly isKeeper: () => boolean;
  /** Another process of the node has something new to say, and this one speaks for it. */
  readonly onNews: () => void;
}

export interface NodeWindow extends Service {
  /** What the other processes of this node show. */
  lookAtOthers(): Promise<readonly string[]>;
  /** Asks whether another process speaks for this node, and with `isNews` that it does now. */
  isKeptByOther(isNews: boolean): Promise<boolean>;
}

/**
 * Where other processes of this machine look at what a running one knows: on loopback, to who can
 * read a file of the data folder. Each process of a node has its own. Nothing is written while
 * nobody looks, which a memory card of a small computer would not like every second.
 */
export function createNodeWindow(options: NodeWindowOptions): NodeWindow {
  const { paths, random, pid, show, isKeeper, onNews } = options;
  const folder = () => paths.resolve("fleet", "windows");
  const name = `${createId(random, 13)}.json`;
  const token = createId(random, 52);
  let server: Server | undefined;
  return {
    async start() {
      const opened = createServer((request, response) => {
        request.resume();
        const nonce = String(request.headers[nonceHeader]);
        const proof = String(request.headers[proofHeader]);
        if (!isSameText(proof, proofOf(token, "asks", nonce))) {
          return void response.writeHead(403).end();
        }
        response.setHeader(proofHeader, proofOf(token, "answers", nonce));
        if (request.method !== "GET") {
          response.writeHead(isKeeper() ? 200 : 409).end();
          return void (request.method === "POST" && isKeeper() && onNews());
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
      makeFolder(folder(), { mode: 0o700 });
      await removeAbandoned(folder());
      const text = `${JSON.stringify({ format: 1, port, token, pid })}\n`;
      await writeFileAtomic(join(folder(), name), text, { mode: 0o600 });
    },
    async stop() {
      const mine = server;
      if (!mine) return;
      server = undefined;
      await rm(join(folder(), name), { force: true });
      mine.closeAllConnections();
      await new Promise((resolve) => mine.close(resolve));
    },
    async lookAtOthers() {
      const answers = await lookOut(paths, { method: "GET", except: name });
      return answers.filter(({ isWell }) => isWell).map(({ text }) => text);
    },
    async isKeptByOther(isNews) {
      const method = isNews ? "POST" : "HEAD";
      const answers = await lookOut(paths, { method, except: name });
      return answers.some(({ isWell }) => isWell);
    },
  };
}

/** Those of processes that were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    try {
      const { pid } = JSON.parse(await readFile(join(folder, name), "utf8")) as WindowFile;
      process.kill(pid, 0);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ESRCH") await rm(join(folder, name), { force: true });
    }
  }
}

const listen = (server: Server) =>
  new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
