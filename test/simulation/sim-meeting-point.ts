import type { Channel, MeetingPoint } from "../../src/node/index.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

/** A data folder, as far as its processes meet there. */
export interface SimFolder {
  lock: SimNode | undefined;
  listener: { readonly process: SimNode; readonly accept: (channel: Channel) => void } | undefined;
}

/** How long a message is under way: so long that a process may die meanwhile. */
const wayMsMax = 400;
/** How soon the other side notices that a process has died. */
const noticeMs = 100;

/** The processes of a simulated machine meet here. A process that dies releases its lock. */
export function createSimMeetingPoint(
  world: World,
  folder: SimFolder,
  process: SimNode,
): MeetingPoint {
  return {
    tryLock() {
      if (folder.lock?.isAlive()) return undefined;
      folder.lock = process;
      world.tell(`${process.name} owns the folder`);
      return {
        isInPlace: () => true,
        [Symbol.dispose]() {
          if (folder.lock === process) folder.lock = undefined;
        },
      };
    },
    async listen(accept) {
      const mine = { process, accept };
      folder.listener = mine;
      return {
        async close() {
          if (folder.listener === mine) folder.listener = undefined;
        },
      };
    },
    async connect() {
      const { listener } = folder;
      if (!listener?.process.isAlive()) return undefined;
      const [here, there] = createChannelPair(world, process, listener.process);
      listener.process.clock.setTimer(0, () => listener.accept(there));
      return here;
    },
    lastOwner: async () => undefined,
  };
}

/** Two ends of a connection. A message arrives after some time, in order, or never. */
function createChannelPair(world: World, a: SimNode, b: SimNode): readonly [Channel, Channel] {
  const [first, second] = [createEnd(world, a), createEnd(world, b)];
  first.join(second);
  second.join(first);
  return [first.channel, second.channel];
}

interface End {
  readonly channel: Channel;
  /** As the kernel does it: also after the sender has died, and in the order of sending. */
  arrive(what: () => void): void;
  end(): void;
  deliver(message: unknown): void;
  join(other: End): void;
}

function createEnd(world: World, process: SimNode): End {
  let other: End;
  let onMessage: ((message: unknown) => void) | undefined;
  let isClosed = false;
  let isPaused = false;
  let arrivesAtMs = 0;
  const waiting: unknown[] = [];
  let resolveClosed = () => {};
  const closed = new Promise<void>((resolve) => (resolveClosed = resolve));
  const drain = () => {
    while (!isPaused && !isClosed && onMessage && waiting.length > 0) onMessage(waiting.shift());
  };
  const end = () => {
    if (isClosed) return;
    isClosed = true;
    resolveClosed();
  };
  const arrive = (what: () => void) => {
    const nowMs = world.scheduler.nowMs();
    arrivesAtMs = Math.max(arrivesAtMs, nowMs + world.random.next() * wayMsMax);
    process.clock.setTimer(arrivesAtMs - nowMs, what);
  };
  const channel: Channel = {
    send(message) {
      if (isClosed) return;
      const text = JSON.stringify(message);
      other.arrive(() => other.deliver(JSON.parse(text)));
    },
    receive(listener) {
      onMessage = listener;
      drain();
    },
    setPaused(paused) {
      isPaused = paused;
      drain();
    },
    setWaiting: () => {},
    isClosed: () => isClosed,
    closed,
    close() {
      other.arrive(() => other.end());
      end();
    },
  };
  return {
    channel,
    arrive,
    end,
    deliver(message) {
      waiting.push(message);
      drain();
    },
    join(joined) {
      other = joined;
      // A process that dies closes its connections.
      const look = () => {
        if (isClosed) return;
        if (!process.isAlive()) return other.arrive(() => other.end());
        world.scheduler.after(noticeMs, look);
      };
      look();
    },
  };
}
