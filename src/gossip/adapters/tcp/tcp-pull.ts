import { connect, createServer, type Server, type Socket } from "node:net";
import { AppError } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { formatAddress, parseAddress } from "../../address.ts";
import {
  answerBytesMax,
  portDefault,
  questionBytesMax,
  type PullTransport,
} from "../../transport.ts";
import { readFrame, writeFrame } from "./frame.ts";

export interface TcpPullOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port?: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Connections at once. Beyond, a new one replaces one that has not sent its question yet. */
export const connectionsMax = 16;
/** Time to send the question, and to receive the answer. Slower connections are closed. */
const askMs = 2_000;
const answerMs = 10_000;

/** PullTransport over TCP: one question and one answer for each connection. */
export async function openTcpPull(options: TcpPullOptions): Promise<PullTransport> {
  const { host, clock, log } = options;
  let listener: Parameters<PullTransport["answer"]>[0] = async () => undefined;
  const incoming = new Set<Socket>();
  const asked = new Set<Socket>();
  const callers = new Set<Socket>();

  const serve = async (socket: Socket): Promise<void> => {
    const from = formatAddress({
      host: socket.remoteAddress ?? "0.0.0.0",
      port: socket.remotePort ?? 1,
    });
    const question = await within(clock, askMs, socket, readFrame(socket, questionBytesMax));
    asked.add(socket);
    const answer = await within(clock, answerMs, socket, listener(from, question));
    if (answer) await within(clock, answerMs, socket, writeFrame(socket, answer));
  };

  const server = createServer({ allowHalfOpen: false }, (socket) => {
    socket.on("error", () => {}); // every read and write reports it too
    if (incoming.size >= connectionsMax) {
      const idle = [...incoming].find((one) => !asked.has(one));
      if (!idle) return void socket.destroy();
      idle.destroy();
      incoming.delete(idle);
    }
    incoming.add(socket);
    serve(socket)
      .catch((error: unknown) => log.debug("a connection ended early", { reason: String(error) }))
      .finally(() => {
        incoming.delete(socket);
        asked.delete(socket);
        socket.destroy();
      });
  });
  await listen(server, options);
  server.unref();
  const bound = server.address() as { address: string; port: number };

  return {
    address: () => formatAddress({ host: bound.address, port: bound.port }),
    answer: (next) => void (listener = next),
    async ask(to, question) {
      const place = parseAddress(to);
      if (!place) throw failed(to, "it is not an address");
      const socket = connect({ host: place.host, port: place.port, noDelay: true });
      callers.add(socket);
      socket.on("error", () => {});
      socket.unref();
      try {
        return await within(clock, answerMs, socket, converse(socket, question));
      } catch (error) {
        throw failed(to, error instanceof Error ? error.message : String(error), error);
      } finally {
        callers.delete(socket);
        socket.destroy();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of [...incoming, ...callers]) socket.destroy();
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  async function converse(socket: Socket, question: Uint8Array): Promise<Uint8Array> {
    const answer = readFrame(socket, answerBytesMax);
    answer.catch(() => {}); // awaited below
    await writeFrame(socket, question);
    return answer;
  }

  async function listen(on: Server, { port = portDefault }: TcpPullOptions): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: Error) => reject(notBound(host, port, error));
      on.once("error", fail);
      on.listen({ host, port, exclusive: true }, () => {
        on.off("error", fail);
        on.on("error", (error) => log.warn("pulls cannot be accepted", { reason: error.message }));
        resolve();
      });
    });
  }
}

/** Closes the connection if the work takes longer. */
async function within<T>(
  clock: Clock,
  delayMs: number,
  socket: Socket,
  work: Promise<T>,
): Promise<T> {
  const timer = clock.setTimer(delayMs, () => socket.destroy(new Error("it took too long")), {
    background: true,
  });
  try {
    return await work;
  } finally {
    timer.cancel();
  }
}

const failed = (to: string, reason: string, cause?: unknown) =>
  new AppError("unavailable", "gossip_pull", `${to} did not answer over a connection: ${reason}`, {
    cause,
  });

const notBound = (host: string, port: number, cause: Error) =>
  new AppError(
    "unavailable",
    "gossip_not_bound",
    `gossip cannot use ${host} port ${port}: ${cause.message}; choose another gossip.port or gossip.host`,
    { cause },
  );
