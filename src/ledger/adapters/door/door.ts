import { createServer, type AddressInfo, type Socket } from "node:net";
import { AppError } from "../../../base/app-error.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { Logger } from "../../../base/logger.ts";
import type { Random } from "../../../base/random.ts";
import type { Ledger } from "../../ledger.ts";
import {
  answerAsk,
  askBytesMax,
  askSchema,
  failureOf,
  rangeAsText,
  type Ask,
  type Said,
} from "./asks.ts";
import { createFrameReader, createFrameWriter, encodeFrame } from "./frames.ts";
import { shakeAsHolder } from "./handshake.ts";
import { createLookout } from "./lookout.ts";

export interface DoorOptions {
  /** May still be opening: who is let in meanwhile waits for it. */
  readonly ledger: Promise<Ledger>;
  readonly token: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Another process needs to hold the ledger itself. */
  readonly onYield: () => void;
}

/** The way in for other processes, on the loopback address; nothing of it keeps a process alive. */
export interface Door {
  readonly port: number;
  /** Reads no more, and waits until all that was read has been answered. */
  quiet(): Promise<void>;
  /** Sends everybody away. */
  close(): void;
}

/** Of which there are so many that what they change is looked at now and then, not each time. */
const manyAsks: ReadonlySet<Ask["op"]> = new Set(["write", "read", "takeRange", "readRange"]);
const guestsMax = 256;
/** Of one guest; it is read from again when some were answered. */
const asksMax = 256;
/** How old what `status` and `vector` say in another process may be. */
const lookMs = 100;

interface Guest {
  readonly pause: () => void;
  readonly idle: () => Promise<void>;
  readonly tell: (said: Said) => void;
  readonly lookout: ReturnType<typeof createLookout>;
  readonly socket: Socket;
}

export async function openDoor(options: DoorOptions): Promise<Door> {
  const { token, clock, random, log } = options;
  const sockets = new Set<Socket>();
  const guests = new Set<Guest>();
  let isQuiet = false;
  let timer: Timer | undefined;
  const lookAround = (ledger: Ledger) => {
    for (const guest of guests) guest.lookout.look(ledger);
    timer = guests.size > 0 && !isQuiet ? arm(ledger) : undefined;
  };
  const arm = (ledger: Ledger) =>
    clock.setTimer(lookMs, () => lookAround(ledger), { background: true });

  const receive = async (socket: Socket) => {
    await shakeAsHolder({ socket, token, clock, random });
    const ledger = await options.ledger;
    if (isQuiet || socket.destroyed) return void socket.destroy();
    const guest = welcome(socket, ledger, options);
    guests.add(guest);
    socket.on("close", () => guests.delete(guest));
    guest.lookout.look(ledger);
    timer ??= arm(ledger);
  };

  const server = createServer((socket) => {
    socket.on("error", () => {}); // its close says all there is to say
    if (isQuiet || sockets.size >= guestsMax) return void socket.destroy();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.setNoDelay(true).unref();
    receive(socket).catch((error: unknown) => {
      log.debug("the ledger's door was shut", { reason: String(error) });
      socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  server.unref().on("error", () => {});

  return {
    port: (server.address() as AddressInfo).port,
    async quiet() {
      isQuiet = true;
      timer?.cancel();
      server.close();
      for (const { pause } of guests) pause();
      await Promise.all([...guests].map(({ idle }) => idle()));
    },
    close() {
      isQuiet = true;
      timer?.cancel();
      server.close();
      for (const guest of guests) guest.socket.end(() => guest.socket.destroy());
      for (const socket of sockets) if (!socket.writableEnded) socket.destroy();
    },
  };
}

/** Answers what one guest asks, many at a time: writes of one turn share one sync of the disk. */
function welcome(socket: Socket, ledger: Ledger, { onYield }: DoorOptions): Guest {
  const frames = createFrameReader({ bytesMax: askBytesMax });
  const writer = createFrameWriter(socket);
  const tell = (said: Said) => writer.send(encodeFrame(said));
  const lookout = createLookout((look) => tell({ look }));
  const inHand = new Set<Promise<void>>();
  let isPaused = false;
  let unfollow: (() => void) | undefined;
  const follow = () => ledger.exchange.follow((range) => tell({ wrote: rangeAsText(range) }));
  socket.on("close", () => unfollow?.());

  const answer = async (id: number, body: unknown) => {
    try {
      const { data: ask } = askSchema.safeParse(body);
      if (!ask) throw notUnderstood();
      const value = await answerAsk(ledger, ask);
      if (!manyAsks.has(ask.op)) lookout.look(ledger);
      tell({ id, value });
      if (ask.op === "follow") unfollow ??= follow();
      if (ask.op === "yield") onYield();
    } catch (error) {
      tell({ id, failure: failureOf(error) });
    }
  };
  const take = (chunk: Uint8Array) => {
    for (const frame of frames.take(chunk)) {
      const { id, ask } = frame as { id: number; ask: unknown };
      const mine = answer(id, ask).finally(() => {
        inHand.delete(mine);
        if (!isPaused && inHand.size < asksMax / 2) socket.resume();
      });
      inHand.add(mine);
    }
    if (inHand.size >= asksMax) socket.pause();
  };
  socket.on("data", (chunk: Uint8Array) => {
    try {
      take(chunk);
    } catch {
      socket.destroy();
    }
  });
  socket.resume();
  return {
    socket,
    tell,
    lookout,
    pause() {
      isPaused = true;
      socket.pause();
    },
    async idle() {
      while (inHand.size > 0) await Promise.all(inHand);
      writer.flush();
    },
  };
}

const notUnderstood = () =>
  new AppError(
    "unavailable",
    "ledger_holder_differs",
    `process ${process.pid} holds the ledger and is of another version of forager: restart it`,
  );
