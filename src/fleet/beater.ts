import { sleep, type Clock, type Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Service } from "../base/service.ts";
import { encodeBeat, headBeat, type Beat } from "./beat.ts";

export interface BeaterOptions {
  readonly read: () => Promise<Beat>;
  /** Tells the peers that gossip reaches; absent if there is no gossip. */
  readonly say?: (bytes: Uint8Array) => void;
  /** Writes it into the node's head; absent where there is no bucket. */
  readonly writeHead?: (beat: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Also told, such as to a file of this machine. */
  readonly onBeat?: (beat: Beat) => void | Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly everyMs?: number;
}

export interface Beater extends Service {
  /** Does not wait for the minute: something that others wait for has happened. */
  beatNow(): Promise<void>;
}

export const beatEveryMs = 60_000;
/** After it has begun, a node is soon another one: with workers, and with peers. */
const secondMs = 5_000;
/** A bucket that does not answer keeps no process from ending. */
const lastMsMax = 5_000;

/**
 * Beats once a minute. One that fails is told once and made up for by the next: a node that cannot
 * reach its bucket works on.
 */
export function createBeater(options: BeaterOptions): Beater {
  const { clock, log, everyMs = beatEveryMs } = options;
  let timer: Timer | undefined;
  let isStopped = false;
  let isFailing = false;
  let hasBegun = false;
  let turn: Promise<void> = Promise.resolve();

  async function beat({ isLast = false } = {}): Promise<void> {
    try {
      const now = await options.read();
      const said: Beat = isLast ? { ...now, state: "stopped" } : now;
      options.say?.(encodeBeat(said));
      await options.onBeat?.(said);
      await options.writeHead?.(headBeat(said));
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn("a heartbeat could not be told", { error });
      isFailing = true;
    }
  }
  const beatNext = (): Promise<void> => {
    timer?.cancel();
    const mine = turn.then(async () => {
      if (isStopped) return;
      const nextMs = hasBegun ? everyMs : Math.min(secondMs, everyMs);
      hasBegun = true;
      await beat();
      timer?.cancel();
      if (!isStopped) timer = clock.setTimer(nextMs, () => void beatNext(), { background: true });
    });
    turn = mine;
    return mine;
  };

  return {
    start: () => beatNext(),
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
    beatNow: () => beatNext(),
  };
}
