import { createHmac } from "node:crypto";
import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { parseUrl } from "../base/parse-url.ts";
import type { Random } from "../base/random.ts";
import { retry } from "../base/retry.ts";

export interface WebhookOptions {
  /** May hold a user and a password, which are sent as basic authentication. */
  readonly url: () => Promise<string>;
  /** Absent: what is sent is not signed. */
  readonly secret: (() => Promise<string>) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
}

export interface Webhook {
  /** Never rejects: after the last attempt the failure is logged. Resolves when it is over. */
  post(event: object): Promise<void>;
}

export const signatureHeader = "x-forager-signature";
export const timestampHeader = "x-forager-timestamp";
const attempts = 5;
const answerMsMax = 10_000;
/** More than this at once are dropped, and said to be: a receiver that is down must not fill us. */
const openMax = 100;

/** Signs `timestamp.body`, so that a receiver can refuse what is forged, and what is old. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;

export function createWebhook(options: WebhookOptions): Webhook {
  const { url, secret, clock, random, logger, fetch: send = fetch } = options;
  let open = 0;

  async function once(body: string): Promise<void> {
    const timestamp = String(Math.floor(clock.nowMs() / 1_000));
    const key = await secret?.();
    const { address, authorization } = splitAddress(await url());
    const answer = await send(address, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        [timestampHeader]: timestamp,
        ...(authorization !== undefined && { authorization }),
        ...(key !== undefined && { [signatureHeader]: signatureOf(key, timestamp, body) }),
      },
      redirect: "error",
      signal: AbortSignal.timeout(answerMsMax),
    }).catch((cause: unknown) => {
      throw unavailable("it cannot be reached", cause);
    });
    await answer.body?.cancel();
    if (answer.ok) return;
    if (answer.status >= 500 || answer.status === 429)
      throw unavailable(`it said ${answer.status}`);
    throw new AppError("invalid", "webhook_refused", `the webhook said ${answer.status}`);
  }

  return {
    async post(event) {
      if (open >= openMax) {
        return logger.error("an alert was dropped: the webhook does not keep up", { event });
      }
      open += 1;
      const body = JSON.stringify(event);
      try {
        const how = { clock, random, attempts, delayMs: 1_000, delayMsMax: 30_000 };
        await retry(() => once(body), how);
      } catch (error) {
        logger.error("an alert could not be posted", { error, event });
      } finally {
        open -= 1;
      }
    },
  };
}

/** fetch() refuses an address with credentials, and repeats it in its error. */
function splitAddress(text: string): { address: string; authorization?: string } {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    const message = "alert.webhook is not an http:// or https:// URL";
    throw new AppError("invalid", "webhook_address", message);
  }
  if (url.username === "" && url.password === "") return { address: url.href };
  const user = decodeURIComponent(`${url.username}:${url.password}`);
  url.username = url.password = "";
  return {
    address: url.href,
    authorization: `Basic ${Buffer.from(user).toString("base64")}`,
  };
}

const unavailable = (why: string, cause?: unknown) =>
  new AppError("unavailable", "webhook_unavailable", `the webhook did not take it: ${why}`, {
    cause,
  });
