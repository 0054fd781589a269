import { withDeadline } from "../base/with-deadline.ts";
import { type Clock, type Timer } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Service } from "../base/service.ts";
import { encodeHeartbeat, headHeartbeat, type NodeHeartbeat } from "./heartbeat.ts";

export interface HeartbeatSenderOptions {
  readonly read: () => Promise<NodeHeartbeat>;
  /** Sends it to peers by gossip; absent if there is no gossip. */
  readonly publish?: (bytes: Uint8Array) => void;
  /** Writes it into the node's head; absent if there is no bucket. */
  readonly writeHead?: (heartbeat: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Also receives it, for example to write a file on this machine. */
  readonly onHeartbeat?: (heartbeat: NodeHeartbeat) => void | Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly everyMs?: number;
}

export interface HeartbeatSender extends Service {
  /** Sends at once: something that others wait for has happened. */
  sendNow(): Promise<void>;
}

export const heartbeatEveryMs = 60_000;
/** Shortly after the start the node has workers and peers, so a second heartbeat follows soon. */
const secondMs = 5_000;
/** Stopping waits at most this long for a bucket that does not answer. */
const lastMsMax = 5_000;

/**
 * Sends a heartbeat each minute. A failure is logged once, and the next heartbeat replaces it: a
 * node that cannot reach its bucket continues to work.
 */
export function createHeartbeatSender(options: HeartbeatSenderOptions): HeartbeatSender {
  const { clock, log, everyMs = heartbeatEveryMs } = options;
  let timer: Timer | undefined;
  let isStopped = false;
  let isFailing = false;
  let hasBegun = false;
  let turn: Promise<void> = Promise.resolve();

  async function send({ isLast = false } = {}): Promise<void> {
    try {
      const now = await options.read();
      const heartbeat: NodeHeartbeat = isLast ? { ...now, state: "stopped" } : now;
      options.publish?.(encodeHeartbeat(heartbeat));
      await options.onHeartbeat?.(heartbeat);
      await options.writeHead?.(headHeartbeat(heartbeat));
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn("a heartbeat could not be sent", { error });
      isFailing = true;
    }
  }
  const sendNext = (): Promise<void> => {
    timer?.cancel();
    const mine = turn.then(async () => {
      if (isStopped) return;
      const nextMs = hasBegun ? everyMs : Math.min(secondMs, everyMs);
      hasBegun = true;
      await send();
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
      // A last heartbeat, so that a node that was stopped on purpose does not count as missing.
      turn = turn.then(() => (hasBegun ? send({ isLast: true }) : undefined));
      await withDeadline(turn, { clock, ms: lastMsMax });
    },
    sendNow: () => sendNext(),
  };
}
