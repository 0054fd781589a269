import pg from "pg";
import type { Clock, Timer } from "../../../../base/clock.ts";
import type { ChangeListener } from "../../../queue-store.ts";
import type { PostgresPlace } from "./connection-options.ts";
import type { Database } from "./database.ts";
import { settleTls } from "./tls.ts";

/**
 * Tells other processes of new work, and hears of theirs.
 *
 * Sending: after the commit, never in it, since NOTIFY takes a lock of the whole server; at most
 * once in `sendGapMs`, the last one never dropped.
 * Hearing: LISTEN on a session of its own. At the start, and then again and again, another session
 * sends it a word, while it waits as it does for real ones. Behind a transaction pooler it hears
 * nothing; then, and while the session is broken, the listeners are called on every tick of the
 * poll, and a new session is tried less and less often.
 */
const sendGapMs = 5;
const pollMs = 1_000;
const selfTestMs = 30_000;
const answerMs = 2_000;
const retryMsMax = 60_000;

export interface PostgresChangeWatch {
  /** After a commit of this process; `mayWake`: others may have something to do now. */
  notify(change: { readonly mayWake: boolean; readonly isNews: boolean }): void;
  watch(listener: ChangeListener): () => void;
  /** Whether the last self-test was heard. */
  isListening(): boolean;
  close(): Promise<void>;
}

export interface PostgresChangeWatchOptions {
  readonly db: Database;
  /** A direct way to the server. */
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
    try {
      const fresh = await connect();
      client = fresh;
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
      await test();
      // What was committed before it listened was not heard of.
      if (client === fresh) call();
      else await fresh.end(); // nobody listens any more
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
   * Sent by another session: a pooler may lend the listener, for as long as it asks something, the
   * very session that listens, and it would hear itself then and nobody afterwards.
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
      if (mayWake) tell();
    },
    watch(listener) {
      const own: ChangeListener = (isNews) => listener(isNews); // the same listener may come twice, and leave once
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
