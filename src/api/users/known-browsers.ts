import { createHmac, timingSafeEqual } from "node:crypto";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";

/**
 * A cookie by which a browser shows that a user has signed in with it before. It opens nothing: its
 * user is not slowed down while others guess at the account.
 */
export interface KnownBrowsers {
  /** The content of the cookie. */
  issue(user: string): string;
  /** The id of the browser; undefined: the cookie is none of ours, or another user's. */
  idOf(user: string, cookie: string | undefined): string | undefined;
}

/** The same secret after a restart accepts the same cookies. */
export function createKnownBrowsers(secret: string, random: Random): KnownBrowsers {
  const sign = (user: string, id: string) =>
    createHmac("sha256", `known browser ${secret}`).update(`${id} ${user}`).digest();
  return {
    issue(user) {
      const id = createId(random, 20);
      return `${id}.${sign(user, id).toString("base64url")}`;
    },
    idOf(user, cookie) {
      const [, id, mark] = /^([\da-z]{20})\.([\w-]{43})$/.exec(cookie ?? "") ?? [];
      if (id === undefined || mark === undefined) return undefined;
      const isOurs = timingSafeEqual(sign(user, id), Buffer.from(mark, "base64url"));
      return isOurs ? `browser:${id}` : undefined;
    },
  };
}
