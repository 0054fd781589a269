import { every } from "../../base/every.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Service } from "../../base/service.ts";
import { alarmKey, type Alarm, type AlarmEvent, type AlarmTarget } from "./alarm.ts";
import {
  emptyOutbox,
  type ActiveAlarm,
  type AlarmMessage,
  type AlarmOutbox,
  type OutboxFile,
} from "./outbox.ts";

export interface AlarmReading {
  readonly alarms: readonly Alarm[];
  /** Whether the state of this alarm could be determined now. If not, the alarm stays as it is. */
  readonly isKnown: (alarm: Alarm) => boolean;
}

export interface AlarmKeeperOptions {
  readonly file: OutboxFile;
  /** Reads the problems that exist now. */
  readonly read: () => Promise<AlarmReading>;
  /** The targets of the current settings. If there are none, nothing is read or sent. */
  readonly targets: () => readonly AlarmTarget[];
  /** The interval between two readings. */
  readonly everyMs: () => number;
  /**
   * An alarm that an earlier process raised is not declared over until this process has run for
   * this long, because detection starts from zero in each process.
   */
  readonly settleMs: (alarm: Alarm) => number;
  /** The name of this node. */
  readonly node: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

const tickMs = 1_000;
const activeMax = 500;
const messagesMax = 1_000;
const sendMsMax = 30_000;
/** At most this many messages are sent to a target before all targets have had their turn. */
const batchMax = 20;
const firstWaitMs = 5_000;
const waitMsMax = 1_800_000;
const giveUpMs = 86_400_000;

/**
 * Sends each alarm once when it begins and once when it ends. Only the owner of the data folder
 * runs this.
 */
export function createAlarmKeeper(
  options: AlarmKeeperOptions,
): Service & { tick(): Promise<void> } {
  const { file, clock, random, log } = options;
  let outbox: AlarmOutbox = emptyOutbox;
  /** Alarms that this process has detected itself. */
  const seen = new Set<string>();
  let startedMs = 0;
  let lookAtMs = -Infinity;
  let isRead = false;
  let isStored = true;
  const over = new AbortController();

  /** On a full disk, alarms are in memory only: a full disk must not prevent its own alarm. */
  async function store(next: AlarmOutbox): Promise<void> {
    outbox = next;
    try {
      await file.write(next);
      isStored = true;
    } catch (error) {
      if (isStored) log.error("alarms cannot be stored; they are sent, but are lost if this process ends before", { error }); // prettier-ignore
      isStored = false;
    }
  }

  async function look(targets: readonly AlarmTarget[]): Promise<void> {
    const { alarms, isKnown } = await options.read();
    const nowMs = clock.nowMs();
    const now = new Map(alarms.slice(0, activeMax).map((alarm) => [alarmKey(alarm), alarm]));
    for (const key of now.keys()) seen.add(key);
    const before = new Map(outbox.active.map((alarm) => [alarmKey(alarm), alarm]));
    const began = [...now].filter(([key]) => !before.has(key)).map(([, alarm]) => ({ ...alarm, sinceMs: nowMs })); // prettier-ignore
    const ended = outbox.active.filter((alarm) => !now.has(alarmKey(alarm)) && isOver(alarm, isKnown)); // prettier-ignore
    if (began.length + ended.length === 0) return;
    const isEnded = new Set(ended.map(alarmKey));
    for (const key of isEnded) seen.delete(key);
    const events = [
      ...began.map((alarm) => eventOf(alarm, "began", nowMs)),
      ...ended.map((alarm) => eventOf(alarm, "ended", nowMs)),
    ];
    const added = events.flatMap(
      (event) =>
      targets.map(({ name }): AlarmMessage => ({ target: name, event, attempts: 0, nextAtMs: nowMs })), // prettier-ignore
    );
    const messages = [...outbox.messages, ...added];
    if (messages.length > messagesMax) {
      log.error("alarms were dropped because their targets did not accept them", { dropped: messages.length - messagesMax }); // prettier-ignore
    }
    await store({
      format: 1,
      active: [...outbox.active.filter((alarm) => !isEnded.has(alarmKey(alarm))), ...began],
      messages: messages.slice(-messagesMax),
    });
  }

  function isOver(alarm: ActiveAlarm, isKnown: AlarmReading["isKnown"]): boolean {
    if (!isKnown(alarm)) return false;
    return seen.has(alarmKey(alarm)) || clock.monotonicMs() - startedMs >= options.settleMs(alarm);
  }

  const eventOf = (alarm: ActiveAlarm, what: AlarmEvent["what"], atMs: number): AlarmEvent => ({
    ...alarm,
    id: `alarm_${createId(random)}`,
    what,
    atMs,
    node: options.node,
  });

  async function send(targets: readonly AlarmTarget[]): Promise<void> {
    const nowMs = clock.nowMs();
    const byName = new Map(targets.map((target) => [target.name, target]));
    // Messages for a target that was removed from the settings are dropped.
    const orphans = outbox.messages.filter(({ target }) => !byName.has(target));
    const changed = new Map<AlarmMessage, AlarmMessage | undefined>();
    for (const message of orphans) changed.set(message, undefined);
    // Messages to one target are sent in order, so that none says that an alarm began after one
    // that says that it ended. Targets do not wait for each other.
    await Promise.all(
      targets.map(async (target) => {
        const waiting = outbox.messages.filter((one) => one.target === target.name);
        for (const message of waiting.slice(0, batchMax)) {
          if (message.nextAtMs > nowMs) break;
          const { isSent, left } = await trySend(target, message);
          changed.set(message, left);
          if (!isSent) break;
        }
      }),
    );
    if (changed.size === 0) return;
    const messages = outbox.messages.flatMap((one) => (changed.has(one) ? (changed.get(one) ?? []) : one)); // prettier-ignore
    await store({ ...outbox, messages });
  }

  /** `left`: the message if it must be sent again. */
  async function trySend(
    target: AlarmTarget,
    message: AlarmMessage,
  ): Promise<{ readonly isSent: boolean; readonly left: AlarmMessage | undefined }> {
    const { event, attempts } = message;
    try {
      await target.send(event, AbortSignal.any([over.signal, AbortSignal.timeout(sendMsMax)]));
      return { isSent: true, left: undefined };
    } catch (error) {
      if (over.signal.aborted) return { isSent: false, left: message };
      const nowMs = clock.nowMs();
      const fields = { target: target.name, alarm: event.name, subject: event.subject, error };
      if (nowMs - event.atMs > giveUpMs) {
        log.error("an alarm could not be sent for a day and was dropped", fields);
        return { isSent: false, left: undefined };
      }
      if (attempts === 0) log.warn("could not send an alarm; retrying", fields);
      const waitMs = Math.min(waitMsMax, firstWaitMs * 2 ** Math.min(attempts, 20));
      const nextAtMs = nowMs + Math.round(waitMs * (0.75 + 0.5 * random.next()));
      return { isSent: false, left: { ...message, attempts: attempts + 1, nextAtMs } };
    }
  }

  async function tick(): Promise<void> {
    const targets = options.targets();
    if (!isRead) {
      outbox = await file.read();
      startedMs = clock.monotonicMs();
      isRead = true;
    }
    if (targets.length === 0) return;
    try {
      if (clock.monotonicMs() >= lookAtMs) {
        lookAtMs = clock.monotonicMs() + options.everyMs();
        await look(targets);
        if (!isStored) await store(outbox);
      }
    } finally {
      await send(targets);
    }
  }

  const ticks = every(tick, {
    clock,
    pauseMs: tickMs,
    onError: (error) => log.warn("could not check for alarms; retrying", { error }),
  });
  return {
    tick,
    start: () => ticks.start(),
    async stop() {
      over.abort();
      await ticks.stop();
    },
  };
}
