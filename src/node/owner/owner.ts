import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Service } from "../../base/service.ts";
import type { Channel, Listener, MeetingPoint, OwnerLock } from "../meeting-point.ts";
import type { OwnedParts, ProcessKind } from "../open-node.ts";
import { serveChannel, type OwnedNode, type ServedChannel } from "./serve-channel.ts";

export interface OwnerOptions {
  readonly kind: ProcessKind;
  readonly point: MeetingPoint;
  readonly lock: OwnerLock;
  readonly openOwned: (lock: OwnerLock) => Promise<OwnedParts>;
  readonly version: string;
  readonly pid: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The state of this process while it owns its data folder. */
export interface Owner {
  readonly node: OwnedNode;
  /** Ends services, answers open requests, closes everything, releases the lock. */
  leave(): Promise<void>;
}

/** Rejects if the data folder cannot be opened; the lock is released then. */
export async function createOwner(options: OwnerOptions): Promise<Owner> {
  const { lock, kind, openOwned } = options;
  const { promise: opened, resolve: open } = Promise.withResolvers<OwnedParts>();
  // Listen first: clients of a large data folder then wait for the connection, not for the lock.
  const clients = await acceptClients(opened, options);
  try {
    const parts = await openOwned(lock);
    open(parts);
    const services = kind === "service" ? runServices(parts.services, options) : undefined;
    return {
      node: parts,
      async leave() {
        await services?.stop();
        await clients.finish();
        await parts[Symbol.asyncDispose]();
        lock[Symbol.dispose]();
        clients.close(); // only now: clients that connect again find the lock free
      },
    };
  } catch (error) {
    await clients.finish();
    lock[Symbol.dispose]();
    clients.close();
    throw error;
  }
}

/** The pause after a failed attempt to listen. */
const listenAgainMs = 10_000;

interface Clients {
  finish(): Promise<void>;
  close(): void;
}

async function acceptClients(opened: Promise<OwnedParts>, options: OwnerOptions): Promise<Clients> {
  const { point, version, pid, clock, log } = options;
  const channels = new Set<Channel>();
  const served = new Set<ServedChannel>();
  let isFinishing = false;
  const accept = async (channel: Channel) => {
    channels.add(channel);
    void channel.closed.then(() => channels.delete(channel));
    const node = await opened;
    if (isFinishing || channel.isClosed()) return;
    const one = serveChannel(channel, { node, clock });
    served.add(one);
    void channel.closed.then(() => served.delete(one));
    channel.send({ ready: { version, pid } });
  };
  let listener: Listener | undefined;
  let timer: Timer | undefined;
  let listening: Promise<void>;
  const listen = async (): Promise<void> => {
    try {
      listener = await point.listen((channel) => void accept(channel));
    } catch (error) {
      // A full disk or a machine without loopback: this process can work, others cannot join it yet.
      log.warn("other processes cannot use this data folder now", { reason: String(error) });
      const again = () => void (listening = listen());
      if (!isFinishing) timer = clock.setTimer(listenAgainMs, again, { background: true });
    }
  };
  await (listening = listen());
  return {
    async finish() {
      isFinishing = true;
      timer?.cancel();
      await listening;
      await listener?.close();
      await Promise.all([...served].map((one) => one.finish()));
    },
    close() {
      for (const channel of channels) channel.close();
    },
  };
}

/** The pause after a failed start: the network or a port may come back. */
const startAgainMs = 10_000;

/** Starts services beside the owner's other work, and retries until it succeeds. */
function runServices(
  create: () => Promise<Service>,
  { clock, log }: OwnerOptions,
): Pick<Service, "stop"> {
  let isStopped = false;
  let timer: Timer | undefined;
  let running: Service | undefined;
  let problem = "";
  const start = async () => {
    try {
      const service = await create();
      await service.start();
      running = service;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== problem)
        log.error("gossip, sync and heartbeats could not start; trying again", { error });
      problem = text;
      if (!isStopped) timer = clock.setTimer(startAgainMs, () => void (starting = start()));
    }
  };
  let starting = start();
  return {
    async stop() {
      isStopped = true;
      timer?.cancel();
      await starting;
      await running?.stop();
    },
  };
}
