import { queryOne, type Database, type PostgresSession } from "../connection/database.ts";

/** As many as there can be in a millisecond, and more. */
const tokensPerMs = 1024;
const lagMsMax = 60_000;

/**
 * Tokens rise by one, and are pushed to the present moment when they fall behind or a session is
 * new: the server may be one that was restored from a backup, and must not hand out old ones again.
 */
export interface Tokens {
  next(session: PostgresSession, nowMs: number): Promise<number>;
  /** The server is still the one it was: where `isNotBehind` holds, the next may just be drawn. */
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

/** In a statement, at a moment `ms`. */
export const isNotBehind = `(select last_value from @token) >= (ms - ${lagMsMax}) * ${tokensPerMs}`;

function push(session: PostgresSession, nowMs: number): void {
  session.send("select pg_advisory_xact_lock(hashtextextended('@token', 4))");
  session.send("select setval('@token', greatest(nextval('@token'), $1::bigint))", [
    Math.floor(nowMs) * tokensPerMs,
  ]);
}
