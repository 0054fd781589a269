import { sleep, type Clock, type Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Service } from "../base/service.ts";
import { encodeHeartbeat, headHeartbeat, type NodeHeartbeat } from "./heartbeat.ts";

export interface HeartbeatSenderOptions {
  readonly read: () => Promise<NodeHeartbeat>;
  /** Tells the peers that gossip reaches; absent if there is no gossip. */
  readonly publish?: (bytes: Uint8Array) => void;
  /** Writes it into the node's head; absent where there is no bucket. */
  readonly writeHead?: (beat: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Also told, such as to a file of this machine. */
  readonly onHeartbeat?: (beat: NodeHeartbeat) => void | Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly everyMs?: number;
}

export interface HeartbeatSender extends Service {
  /** Does not wait for the minute: something that others wait for has happened. */
  sendNow(): Promise<void>;
}

export const heartbeatEveryMs = 60_000;
/** After it has begun, a node is soon another one: with workers, and with peers. */
const secondMs = 5_000;
/** A bucket that does not answer keeps no process from ending. */
const lastMsMax = 5_000;

/**
 * Beats once a minute. One that fails is told once and made up for by the next: a node that cannot
 * reach its bucket works on.
 */
export function createHeartbeatSender(options: HeartbeatSenderOptions): HeartbeatSender {
  const { clock, log, everyMs = heartbeatEveryMs } = options;
  let timer: Timer | undefined;
  let isStopped = false;
  let isFailing = false;
  let hasBegun = false;
  let turn: Promise<void> = Promise.resolve();

  async function beat({ isLast = false } = {}): Promise<void> {
    try {
      const now = await options.read();
      const said: NodeHeartbeat = isLast ? { ...now, state: "stopped" } : now;
      options.publish?.(encodeHeartbeat(said));
      await options.onHeartbeat?.(said);
      await options.writeHead?.(headHeartbeat(said));
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn("a heartbeat could not be told", { error });
      isFailing = true;
    }
  }
  const sendNext = (): Promise<void> => {
    timer?.cancel();
    const mine = turn.then(async () => {
      if (isStopped) return;
      const nextMs = hasBegun ? everyMs : Math.min(secondMs, everyMs);
      hasBegun = true;
      await beat();
      timer?.cancel();
      if (!isStopped) timer = clock.setTimer(nextMs, () => void sendNext(), { background: true });
    });
    turn = mine;
    return mine;
  };

  return {
    start: () => sendNext(),
    async stop() {
      if (isStopped) return turn;
      isStopped = true;
      timer?.cancel();
      // So that nobody misses a node that was stopped on purpose.
      turn = turn.then(() => (hasBegun ? beat({ isLast: true }) : undefined));
      const waited = new AbortController();
      await Promise.race([turn, sleep(clock, lastMsMax, waited.signal).catch(() => {})]);
      waited.abort();
    },
    sendNow: () => sendNext(),
  };
}
