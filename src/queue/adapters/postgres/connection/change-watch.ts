import pg from "pg";
import type { Clock, Timer } from "../../../../base/clock.ts";
import type { ChangeListener } from "../../../queue-store.ts";
import type { PostgresPlace } from "./connection-options.ts";
import type { Database } from "./database.ts";
import { settleTls } from "./tls.ts";

/**
 * Notifies other processes of new work, and listens to their notifications.
 *
 * Sending: after the commit and never in it, because NOTIFY takes a lock of the whole server. At
 * most once per `sendGapMs`; the last notification is never dropped.
 * Receiving: LISTEN on a separate session. At the start and at intervals, another session sends a
 * self-test, which arrives like a real notification. Behind a transaction pooler nothing arrives.
 * Then, and while the session is broken, the listeners are called at every poll, and a new session
 * is tried less and less often.
 */
const sendGapMs = 5;
const pollMs = 1_000;
const selfTestMs = 30_000;
const answerMs = 2_000;
const retryMsMax = 60_000;

export interface PostgresChangeWatch {
  /** Call after a commit of this process. `mayWake`: others may have something to do now. */
  notify(change: { readonly mayWake: boolean; readonly isNews: boolean }): void;
  watch(listener: ChangeListener): () => void;
  /** True if the last self-test arrived. */
  isListening(): boolean;
  close(): Promise<void>;
}

export interface PostgresChangeWatchOptions {
  readonly db: Database;
  /** A direct connection to the server, without a pooler. */
  readonly place: PostgresPlace;
  readonly clock: Clock;
}

export function createChangeWatch({
  db,
  place,
  clock,
}: PostgresChangeWatchOptions): PostgresChangeWatch {
  const channel = `forager ${place.schema}`.slice(0, 63);
  const listeners = new Set<ChangeListener>();
  let client: pg.Client | undefined;
  let isListening = false;
  let poll: Timer | undefined;
  let sinceTestMs = 0;
  let retryMs = answerMs;
  let isStarting = false;
  let send: Timer | undefined;
  let isSendDue = false;
  let sending: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const call = (isNews = false) => {
    for (const listener of listeners) listener(isNews);
  };

  function notify(): void {
    if (isClosed) return;
    if (send) {
      isSendDue = true;
      return;
    }
    // If a notification is lost, the next poll wakes the others.
    sending = db.query("select pg_notify($1, '')", [channel]).catch(() => {});
    send = clock.setTimer(
      sendGapMs,
      () => {
        send = undefined;
        if (!isSendDue) return;
        isSendDue = false;
        notify();
      },
      { background: true },
    );
  }

  async function listen(): Promise<void> {
    if (isStarting || isClosed || listeners.size === 0) return;
    isStarting = true;
    isListening = false;
    await drop();
    try {
      const fresh = await connect();
      client = fresh;
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
      await test();
      // Commits before LISTEN sent no notification to this session.
      if (client === fresh) call();
      else await fresh.end(); // the watch has ended meanwhile
    } catch {
      isListening = false;
    } finally {
      isStarting = false;
    }
  }

  async function connect(): Promise<pg.Client> {
    const { host = "", port = 0, application_name: name } = place.connection;
    const fresh = new pg.Client({
      ...place.connection,
      ssl: await settleTls(place.tls, { host, port }),
      application_name: `${name} listener`,
      connectionTimeoutMillis: answerMs,
    });
    const onEnd = () => {
      if (client === fresh) isListening = false;
    };
    fresh.on("error", onEnd);
    fresh.on("end", onEnd);
    fresh.on("notification", ({ payload }) => {
      if (client !== fresh) return;
      isListening = true;
      retryMs = answerMs;
      if (payload === "") call();
    });
    return fresh;
  }

  /**
   * Sent by another session: a pooler may give a client the listening session only while it sends a
   * query, so a self-test from this session would arrive although no later notification would.
   */
  async function test(): Promise<void> {
    sinceTestMs = 0;
    isListening = false;
    await db.query("select pg_notify($1, 'self-test')", [channel]);
  }

  function tick(): void {
    poll = clock.setTimer(
      pollMs,
      () => {
        sinceTestMs += pollMs;
        if (!isListening) call();
        if (!isListening && sinceTestMs >= retryMs) {
          retryMs = Math.min(retryMsMax, retryMs * 2);
          sinceTestMs = 0;
          void listen();
        } else if (client && sinceTestMs >= selfTestMs) test().catch(() => {});
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
    notify({ mayWake, isNews }) {
      call(isNews);
      if (mayWake) notify();
    },
    watch(listener) {
      const own: ChangeListener = (isNews) => listener(isNews); // a listener may be added twice
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
