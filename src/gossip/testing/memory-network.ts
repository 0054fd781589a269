import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { packetBytesMax, type PullTransport, type Transport } from "../transport.ts";

/** The conditions of the network. Each may be changed at any time. */
export interface NetworkConditions {
  /** The share of packets, from 0 to 1. */
  loss: number;
  duplication: number;
  /** The delay of each packet is random in this range, so packets overtake one another. */
  delayMs: { readonly min: number; readonly max: number };
  /** Whether packets from one address to the other arrive at all. */
  isOpen: (from: string, to: string) => boolean;
}

export interface MemoryNetwork {
  readonly conditions: NetworkConditions;
  /** Joins at an address. A node that is there already is replaced. */
  join(address: string): { readonly transport: Transport; readonly pull: PullTransport };
  /** Sees every packet as it is sent. */
  watch(watcher: (from: string, to: string, packet: Uint8Array) => void): void;
  /** How many packets were sent. */
  sent(): number;
}

type Listener = (from: string, packet: Uint8Array) => void;
type Answerer = (from: string, question: Uint8Array) => Promise<Uint8Array | undefined>;

const pullTimeoutMs = 2_000;

/**
 * A network in one process, on the given clock, that loses, doubles and delays packets at random.
 */
export function createMemoryNetwork(options: {
  readonly clock: Clock;
  readonly random: Random;
}): MemoryNetwork {
  const { clock, random } = options;
  const listeners = new Map<string, Listener>();
  const answerers = new Map<string, Answerer>();
  const watchers: ((from: string, to: string, packet: Uint8Array) => void)[] = [];
  let sent = 0;
  const conditions: NetworkConditions = {
    loss: 0,
    duplication: 0,
    delayMs: { min: 0, max: 0 },
    isOpen: () => true,
  };
  const delayMs = () => {
    const { min, max } = conditions.delayMs;
    return min + random.next() * (max - min);
  };

  const deliver = (from: string, to: string, packet: Uint8Array) => {
    if (!conditions.isOpen(from, to) || random.next() < conditions.loss) return;
    const copy = Uint8Array.from(packet);
    clock.setTimer(delayMs(), () => listeners.get(to)?.(from, copy), { background: true });
  };

  const ask = (from: string, to: string, question: Uint8Array) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const fail = () => reject(failed(to));
      clock.setTimer(pullTimeoutMs, fail, { background: true });
      const isOpen = () => conditions.isOpen(from, to) && conditions.isOpen(to, from);
      const hangUp = () => void clock.setTimer(delayMs(), fail, { background: true });
      const arrive = () => {
        if (!isOpen()) return;
        const answerer = answerers.get(to);
        if (!answerer) return hangUp();
        answerer(from, Uint8Array.from(question)).then(
          (answer) => {
            if (!answer) return hangUp();
            const back = () => isOpen() && resolve(Uint8Array.from(answer));
            clock.setTimer(delayMs(), () => void back(), { background: true });
          },
          () => hangUp(),
        );
      };
      clock.setTimer(delayMs(), arrive, { background: true });
    });

  return {
    conditions,
    sent: () => sent,
    watch: (watcher) => void watchers.push(watcher),
    join(address) {
      let listener: Listener | undefined;
      let answerer: Answerer | undefined;
      let isOver = false;
      let failures = 0;
      const transport: Transport = {
        address: () => address,
        send(to, packet) {
          if (isOver || packet.length > packetBytesMax) return void (failures += 1);
          sent += 1;
          for (const watcher of watchers) watcher(address, to, packet);
          deliver(address, to, packet);
          if (random.next() < conditions.duplication) deliver(address, to, packet);
        },
        listen(next) {
          listener = next;
          listeners.set(address, next);
        },
        failed: () => failures,
        async [Symbol.asyncDispose]() {
          isOver = true;
          if (listeners.get(address) === listener) listeners.delete(address);
        },
      };
      const pull: PullTransport = {
        address: () => address,
        ask: (to, question) => ask(address, to, question),
        answer(next) {
          answerer = next;
          answerers.set(address, next);
        },
        async [Symbol.asyncDispose]() {
          if (answerers.get(address) === answerer) answerers.delete(address);
        },
      };
      return { transport, pull };
    },
  };
}

const failed = (to: string) =>
  new AppError("unavailable", "gossip_pull", `${to} did not answer over a connection`);
