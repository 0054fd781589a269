import { connect, type Socket } from "node:net";
import { AppError } from "../../../base/app-error.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { Random } from "../../../base/random.ts";
import type { Written } from "../../ledger.ts";
import type { RecordRange } from "../../exchange/exchange.ts";
import type { Ask, Look, Said } from "./asks.ts";
import { askBytesMax, rangeFromText, saidBytesMax } from "./asks.ts";
import type { DoorPlace } from "./door-file.ts";
import { createFrameReader, createFrameWriter, encodeFrame } from "./frames.ts";
import { shakeAsClient } from "./handshake.ts";

export interface DoorGuestOptions {
  readonly place: DoorPlace;
  readonly clock: Clock;
  readonly random: Random;
}

/** This process, at the door of the one that holds the ledger. */
export interface DoorGuest {
  /** Rejects with `door_shut` where the answer will not come: it may have been done. */
  ask(ask: Ask): Promise<unknown>;
  /** The newest stamp there is, as of now. */
  mark(): Promise<string>;
  look(): LookNow;
  /** Calls with what any process writes from now on, until the connection is gone. */
  follow(listener: (range: RecordRange) => void): void;
  /** Resolves when the connection is gone. */
  readonly gone: Promise<void>;
  close(): void;
}

export interface LookNow extends Omit<Look, "vector" | "isWhole" | "limits"> {
  readonly vector: ReadonlyMap<string, number>;
  readonly limits: ReadonlyMap<string, number>;
}

/** How long a holder may say nothing while it is waited for. */
const silenceMsMax = 30_000;
const pingMs = 5_000;
/** How long a holder may take to read a large ledger. */
const openingMsMax = 60_000;

export const isDoorShut = (error: unknown): boolean =>
  error instanceof AppError && error.code === "door_shut";

/** Undefined where nobody, or a stranger, is there: the file is of a process that was killed. */
export async function knock(options: DoorGuestOptions): Promise<DoorGuest | undefined> {
  const { place, clock, random } = options;
  const socket = connect({ host: "127.0.0.1", port: place.port });
  socket.on("error", () => {}).setNoDelay(true);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("close", () => reject(shut(place)));
    });
    await shakeAsClient({ socket, token: place.token, clock, random });
    return await stay(socket, options);
  } catch {
    socket.destroy();
    return undefined;
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

async function stay(socket: Socket, { place, clock }: DoorGuestOptions): Promise<DoorGuest> {
  const waiting = new Map<number, Waiting>();
  const writer = createFrameWriter(socket);
  const frames = createFrameReader({ bytesMax: saidBytesMax });
  let count = 0;
  const knowledge = createKnowledge();
  let heardMs = clock.monotonicMs();
  /** Since when something is waited for. */
  let sinceMs = heardMs;
  let timer: Timer | undefined;
  let onFirstLook = () => {};
  let onWrote = (_range: RecordRange) => {};
  /** Those who ask in one turn of the event loop share it. */
  let marked: { readonly turn: number; readonly stamp: Promise<unknown> } | undefined;

  const send = (ask: Ask, reply: Waiting) => {
    if (socket.destroyed) return reply.reject(shut(place));
    const id = ++count;
    const frame = encodeFrame({ id, ask });
    if (frame.byteLength > askBytesMax) return reply.reject(tooBig(frame.byteLength));
    if (waiting.size === 0) sinceMs = clock.monotonicMs();
    waiting.set(id, reply);
    socket.ref();
    writer.send(frame);
    timer ??= watch();
  };
  /** While something is waited for: a holder that is stopped, or hangs, must not be waited for ever. */
  const watch = (): Timer =>
    clock.setTimer(
      pingMs,
      () => {
        timer = undefined;
        if (waiting.size === 0) return;
        if (clock.monotonicMs() - Math.max(heardMs, sinceMs) > silenceMsMax) {
          const silent = silentHolder(place);
          for (const { reject } of waiting.values()) reject(silent);
          waiting.clear();
          return void socket.destroy();
        }
        send({ op: "ping" }, { resolve: () => {}, reject: () => {} });
        timer ??= watch();
      },
      { background: true },
    );
  const hear = (said: Said) => {
    if ("look" in said) {
      knowledge.renew(said.look);
      return onFirstLook();
    }
    if ("wrote" in said) {
      const { origin, from, records } = said.wrote;
      knowledge.raise(origin, from + records.length - 1);
      knowledge.lift(origin);
      return onWrote(rangeFromText(said.wrote));
    }
    const reply = waiting.get(said.id);
    waiting.delete(said.id);
    if (waiting.size === 0) socket.unref();
    if ("value" in said) reply?.resolve(said.value);
    else if ("failure" in said) {
      const { kind, code, message } = said.failure;
      reply?.reject(new AppError(kind, code, message));
    } else reply?.resolve(undefined);
  };
  socket.on("data", (chunk: Uint8Array) => {
    heardMs = clock.monotonicMs();
    try {
      for (const said of frames.take(chunk)) hear(said as Said);
    } catch {
      socket.destroy();
    }
  });
  const gone = new Promise<void>((resolve) => {
    const onClose = () => {
      timer?.cancel();
      for (const { reject } of waiting.values()) reject(shut(place));
      waiting.clear();
      resolve();
    };
    if (socket.destroyed) onClose();
    else socket.once("close", onClose);
  });
  socket.resume();
  // A ledger that is still being opened has nothing to show yet.
  const opening = clock.setTimer(openingMsMax, () => socket.destroy());
  await Promise.race([new Promise<void>((resolve) => (onFirstLook = resolve)), gone]);
  opening.cancel();
  onFirstLook = () => {};
  if (!knowledge.now()) throw shut(place);
  if (waiting.size === 0) socket.unref();

  return {
    ask: (ask) =>
      new Promise<unknown>((resolve, reject) => send(ask, { resolve, reject })).then((value) => {
        const { datagrams = [] } = (ask.op === "write" ? value : {}) as Partial<Written>;
        knowledge.addOwn(datagrams);
        if (ask.op === "takeRange") {
          knowledge.raise(ask.origin, ask.from + ask.records.length - 1);
        }
        return value;
      }),
    async mark() {
      if (marked?.turn !== writer.turn()) {
        const stamp = new Promise<unknown>((resolve, reject) =>
          send({ op: "mark" }, { resolve, reject }),
        );
        marked = { turn: writer.turn(), stamp };
      }
      return (await marked.stamp) as string;
    },
    look: () => knowledge.now()!,
    follow(listener) {
      onWrote = listener;
      send({ op: "follow" }, { resolve: () => {}, reject: () => {} });
    },
    gone,
    close: () => void socket.destroy(),
  };
}

/** The looks of one holder, one upon the other. */
function createKnowledge() {
  let known: Omit<LookNow, "vector"> | undefined;
  const vector = new Map<string, number>();
  const raise = (key: string, number: number) =>
    void vector.set(key, Math.max(vector.get(key) ?? 0, number));
  return {
    now: (): LookNow | undefined => known && { ...known, vector },
    raise,
    /** It was told to all: the limit of the last look is over. */
    lift(key: string) {
      if (!known?.limits.has(key)) return;
      const limits = new Map(known.limits);
      limits.delete(key);
      known = { ...known, limits };
    },
    renew({ vector: told, isWhole, limits, ...rest }: Look) {
      if (isWhole) vector.clear();
      for (const [key, number] of told) raise(key, number);
      known = { ...rest, limits: new Map(limits) };
    },
    /** What one was told is durable is known from then on, also before the next look comes. */
    addOwn(datagrams: Written["datagrams"]) {
      for (const { node, session, number } of datagrams) raise(`${node}/${session}`, number);
      const { stamp } = datagrams.at(-1) ?? { stamp: "" };
      if (!known || stamp <= known.status.highWater) return;
      known = { ...known, status: { ...known.status, highWater: stamp } };
    },
  };
}

const shut = ({ pid }: DoorPlace) =>
  new AppError("unavailable", "door_shut", `process ${pid} no longer holds the ledger`);

const silentHolder = ({ pid }: DoorPlace) =>
  new AppError(
    "unavailable",
    "ledger_holder_silent",
    `process ${pid} holds the ledger and has not answered for ${silenceMsMax / 1_000} s: ` +
      `let it go on if it was stopped, or end it`,
  );

const tooBig = (bytes: number) =>
  new AppError(
    "invalid",
    "ledger_commit_too_big",
    `${bytes} bytes in one request; ${askBytesMax} are allowed: write several commits`,
  );
