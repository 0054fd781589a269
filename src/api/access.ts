import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { scopes } from "./contract/route.ts";
import type { Caller } from "./handler.ts";
import { ProblemError } from "./problems.ts";

export interface AccessOptions {
  /** The folder's secret: who can read its file may do everything. */
  readonly token: string;
  /** Nobody has to prove anything. */
  readonly isOpen: boolean;
  readonly user: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Who may call the API: programs with the folder's secret, and browsers that opened a link. */
export interface Access {
  /** Throws a problem 401. */
  callerOf(request: { readonly authorization: string | undefined; readonly cookie: string | undefined }): Caller; // prettier-ignore
  /** A code that opens one session. `lifeMs`: for how long. */
  makeCode(lifeMs: number): string;
  /** Turns a code into the id of a session; undefined: it was used, or is none. */
  redeem(code: string): string | undefined;
}

const codesMax = 100;
const sessionsMax = 1_000;
const hourMs = 3_600_000;
const idleMs = 12 * hourMs;
const lifeMs = 7 * 24 * hourMs;
export const sessionSeconds = lifeMs / 1_000;

interface Session {
  readonly startedMs: number;
  usedMs: number;
}

/** Sessions and codes live as long as the server: after a restart a new link is needed. */
export function createAccess(options: AccessOptions): Access {
  const { token, isOpen, user, clock, random } = options;
  const codes = new Map<string, number>();
  const sessions = new Map<string, Session>();
  const tokenHash = hash(token);
  const all = { user, scopes };

  const sessionOf = (id: string): Session | undefined => {
    const key = hash(id).toString("hex");
    const session = sessions.get(key);
    if (!session) return undefined;
    const nowMs = clock.nowMs();
    if (nowMs - session.usedMs > idleMs || nowMs - session.startedMs > lifeMs) {
      sessions.delete(key);
      return undefined;
    }
    session.usedMs = nowMs;
    return session;
  };

  return {
    callerOf({ authorization, cookie }) {
      if (authorization !== undefined) {
        const [, given] = /^Bearer ([\w.-]{1,200})$/i.exec(authorization) ?? [];
        if (given !== undefined && timingSafeEqual(hash(given), tokenHash)) {
          return { ...all, by: "token" };
        }
        throw unknownCaller("the token is wrong");
      }
      if (cookie !== undefined && sessionOf(cookie)) return { ...all, by: "session" };
      if (isOpen) return { ...all, by: "loopback" };
      throw unknownCaller("this needs a session or the token of the data folder");
    },
    makeCode(life) {
      const code = createId(random, 40);
      codes.set(hash(code).toString("hex"), clock.nowMs() + life);
      dropOldest(codes, codesMax);
      return code;
    },
    redeem(code) {
      const key = hash(code).toString("hex");
      const untilMs = codes.get(key);
      codes.delete(key);
      if (untilMs === undefined || untilMs < clock.nowMs()) return undefined;
      const id = createId(random, 52);
      const nowMs = clock.nowMs();
      sessions.set(hash(id).toString("hex"), { startedMs: nowMs, usedMs: nowMs });
      dropOldest(sessions, sessionsMax);
      return id;
    },
  };
}

const unknownCaller = (why: string) =>
  new ProblemError(
    401,
    "not_signed_in",
    `${why}: \`forager dashboard\` prints a link that opens a session, and the file node/api.token ` +
      "in the data folder has the token for programs",
  );

const hash = (text: string) => createHash("sha256").update(text).digest();

/** A map gives its keys in the order in which they were added. */
function dropOldest<T>(map: Map<string, T>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
