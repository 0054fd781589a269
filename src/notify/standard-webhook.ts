/**
 * The Standard Webhooks specification, version 1, symmetric signatures:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * The signed text is `id.timestamp.body`. The key is the decoded secret. While a secret is rotated,
 * a message carries one signature for each secret that is valid.
 */
import { createHash, createHmac } from "node:crypto";
import type { Random } from "../base/random.ts";

export interface WebhookMessage {
  /** The same for every attempt, so that a receiver can drop duplicates. */
  readonly id: string;
  readonly body: string;
}

/** The body of every message. */
export interface WebhookEvent {
  readonly id: string;
  /** Such as `job.completed`. */
  readonly type: string;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  readonly data: unknown;
}

const prefix = "whsec_";
const secretBytes = 32;

export const createWebhookSecret = (random: Random): string =>
  `${prefix}${Buffer.from(random.bytes(secretBytes)).toString("base64")}`;

/**
 * `whsec_` and base64, as the specification requires. Any other text is used as it is: a receiver
 * must then be configured with `whsec_` and the base64 of that text.
 */
export function webhookKey(secret: string): Buffer {
  return secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), "base64")
    : Buffer.from(secret);
}

/** Returns what is wrong with a secret, or undefined if it is valid. */
export function secretProblem(secret: string): string | undefined {
  if (!secret.startsWith(prefix)) return `a secret begins with ${prefix}`;
  const { length } = webhookKey(secret);
  return length >= 24 && length <= 64 ? undefined : "a secret has 24 to 64 bytes, as base64";
}

export function webhookHeaders(
  { id, body }: WebhookMessage,
  { nowMs, secrets }: { readonly nowMs: number; readonly secrets: readonly string[] },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = secrets.map((secret) => {
    const signed = createHmac("sha256", webhookKey(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${signed.digest("base64")}`;
  });
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}

export const webhookBody = ({ type, timestamp, data }: WebhookEvent): string =>
  JSON.stringify({ type, timestamp, data });

/** Derives an id that is the same on every node of a fleet, so that an event is sent once. */
export const eventId = (type: string, key: string): string =>
  `msg_${createHash("sha256").update(`${type}\n${key}`).digest("base64url").slice(0, 27)}`;
