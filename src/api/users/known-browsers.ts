import { createHmac, timingSafeEqual } from "node:crypto";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";

/**
 * A cookie that shows that a user has signed in from this browser before. It grants no access, but
 * its user is not slowed down while others guess the password of the account.
 */
export interface KnownBrowsers {
  /** Returns the content of the cookie. */
  issue(user: string): string;
  /** The id of the browser; undefined if the cookie is not valid or belongs to another user. */
  idOf(user: string, cookie: string | undefined): string | undefined;
}

/** With the same secret, cookies stay valid after a restart. */
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
