import { queryOne, type Database, type PostgresSession } from "../connection/database.ts";

/** More tokens than are drawn in any millisecond. */
const tokensPerMs = 1024;
const lagMsMax = 60_000;

/**
 * Tokens rise by one. They are raised to the current time when they fall behind it, and after a new
 * session: the server may have been restored from a backup and must not hand out old tokens again.
 */
export interface Tokens {
  next(session: PostgresSession, nowMs: number): Promise<number>;
  /**
   * True if no session was opened since the last token. Then, if `isNotBehind` holds, the next
   * token can be drawn directly.
   */
  isSameServer(): boolean;
}

export function createTokens(db: Pick<Database, "sessions">): Tokens {
  let pushedSessions = 0;
  let last = 0;
  return {
    isSameServer: () => db.sessions() === pushedSessions,
    async next(session, nowMs) {
      const sessions = db.sessions();
      const isBehind = last < (nowMs - lagMsMax) * tokensPerMs;
      if (sessions !== pushedSessions || isBehind) push(session, nowMs);
      const { token } = await queryOne<{ token: number }>(
        session,
        "select nextval('@token') as token",
      );
      pushedSessions = sessions;
      last = token;
      return token;
    },
  };
}

/** SQL condition, for a moment `ms`. */
export const isNotBehind = `(select last_value from @token) >= (ms - ${lagMsMax}) * ${tokensPerMs}`;

function push(session: PostgresSession, nowMs: number): void {
  session.send("select pg_advisory_xact_lock(hashtextextended('@token', 4))");
  session.send("select setval('@token', greatest(nextval('@token'), $1::bigint))", [
    Math.floor(nowMs) * tokensPerMs,
  ]);
}
