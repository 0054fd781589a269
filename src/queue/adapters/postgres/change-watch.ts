import pg from "pg";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { PostgresPlace } from "./connection-options.ts";
import type { Database } from "./database.ts";

/**
 * Tells other processes of new work, and hears of theirs.
 *
 * Sending: after the commit, never in it, since NOTIFY takes a lock of the whole server; at most
 * once in `sendGapMs`, the last one never dropped.
 * Hearing: LISTEN on a session of its own, which is asked at the start, and then again and again,
 * whether it hears itself. Behind a transaction pooler it does not; then, and while the session is
 * broken, the listeners are called on every tick of the poll.
 */
const sendGapMs = 5;
const pollMs = 1_000;
const selfTestMs = 30_000;
const answerMs = 2_000;

export interface ChangeWatch {
  /** After a commit of this process; `mayWake`: others may have something to do now. */
  notify(mayWake: boolean): void;
  watch(listener: () => void): () => void;
  /** Whether the last self-test was heard. */
  isListening(): boolean;
  close(): Promise<void>;
}

export interface ChangeWatchOptions {
  readonly db: Database;
  /** A direct way to the server. */
  readonly place: PostgresPlace;
  readonly clock: Clock;
}

export function createChangeWatch({ db, place, clock }: ChangeWatchOptions): ChangeWatch {
  const channel = `forager ${place.schema}`.slice(0, 63);
  const listeners = new Set<() => void>();
  let client: pg.Client | undefined;
  let isListening = false;
  let poll: Timer | undefined;
  let sinceTestMs = 0;
  let isStarting = false;
  let send: Timer | undefined;
  let isSendDue = false;
  let sending: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const call = () => {
    for (const listener of listeners) listener();
  };

  function tell(): void {
    if (isClosed) return;
    if (send) {
      isSendDue = true;
      return;
    }
    // A lost notification is a wake-up that comes with the next poll.
    sending = db.query("select pg_notify($1, '')", [channel]).catch(() => {});
    send = clock.setTimer(
      sendGapMs,
      () => {
        send = undefined;
        if (!isSendDue) return;
        isSendDue = false;
        tell();
      },
      { background: true },
    );
  }

  async function listen(): Promise<void> {
    if (isStarting || isClosed || listeners.size === 0) return;
    isStarting = true;
    isListening = false;
    await drop();
    const fresh = new pg.Client({
      ...place.connection,
      application_name: "forager listener",
      connectionTimeoutMillis: answerMs,
    });
    client = fresh;
    fresh.on("error", () => void (isListening = false));
    fresh.on("end", () => void (isListening = false));
    fresh.on("notification", ({ payload }) => {
      isListening = true;
      if (payload === "") call();
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
      await test(fresh);
      // What was committed before it listened was not heard of.
      if (client === fresh) call();
      else await fresh.end(); // nobody listens any more
    } catch {
      isListening = false;
    } finally {
      isStarting = false;
    }
  }

  /** Its own notification must come back to it; a pooler sends it to another session. */
  async function test(own: pg.Client): Promise<void> {
    sinceTestMs = 0;
    isListening = false;
    await own.query("select pg_notify($1, 'self-test')", [channel]);
  }

  function tick(): void {
    poll = clock.setTimer(
      pollMs,
      () => {
        sinceTestMs += pollMs;
        if (!isListening) call();
        if (!isListening && sinceTestMs >= answerMs) void listen();
        else if (client && sinceTestMs >= selfTestMs) test(client).catch(() => {});
        tick();
      },
      { background: true },
    );
  }

  async function drop(): Promise<void> {
    const old = client;
    client = undefined;
    isListening = false;
    await old?.end().catch(() => {});
  }

  function stop(): void {
    poll?.cancel();
    poll = undefined;
    void drop();
  }

  return {
    isListening: () => isListening,
    notify(mayWake) {
      call();
      if (mayWake) tell();
    },
    watch(listener) {
      const own = () => listener(); // the same listener may come twice, and leave once
      listeners.add(own);
      if (listeners.size === 1) {
        tick();
        void listen();
      }
      return () => {
        if (listeners.delete(own) && listeners.size === 0) stop();
      };
    },
    async close() {
      isClosed = true;
      if (listeners.size > 0) stop();
      listeners.clear();
      send?.cancel();
      await sending;
      await drop();
    },
  };
}
