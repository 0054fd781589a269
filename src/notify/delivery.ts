import * as z from "zod";
import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { PostAnswer, Poster } from "../crawl/index.ts";
import type { TaskInput } from "../queue/index.ts";
import {
  defineHandler,
  done,
  fail,
  retry,
  skip,
  type Handler,
  type HandlerOutcome,
} from "../worker/index.ts";
import { validSecrets, type Endpoint, type Endpoints, type SecretReference } from "./endpoints.ts";
import { webhookBody, webhookHeaders, type WebhookEvent } from "./standard-webhook.ts";

/** One event for one endpoint. Its gate is the endpoint's host. */
export const deliveryKind = "webhook";
export const deliveryJob = "webhooks";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
/** The delays after failed attempts, as the Standard Webhooks specification recommends. */
const waitsMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];
const attemptsMax = waitsMs.length + 1;
/** A longer delay in Retry-After is cut to this one. */
const retryAfterMsMax = 24 * hourMs;

export const deliverySchema = z.object({
  endpoint: z.string(),
  event: z.object({
    id: z.string(),
    type: z.string(),
    timestamp: z.string(),
    data: z.unknown(),
  }),
});
export type DeliveryPayload = z.output<typeof deliverySchema>;

/** `again`: a person asked to send an event once more that was already sent. */
export function deliveryTask(
  { id, url }: Pick<Endpoint, "id" | "url">,
  event: WebhookEvent,
  { again = "" }: { readonly again?: string } = {},
): TaskInput {
  const payload: DeliveryPayload = { endpoint: id, event };
  return {
    kind: deliveryKind,
    job: deliveryJob,
    gate: new URL(url).host,
    key: [id, event.id, again].filter((part) => part !== "").join(" "),
    attemptsMax,
    payload,
  };
}

export interface DeliveryServices {
  readonly webhooks: {
    readonly endpoints: Pick<Endpoints, "list" | "disable">;
    readonly poster: Pick<Poster, "post">;
    readonly reveal: (reference: SecretReference, name: string) => Promise<string>;
    readonly clock: Clock;
    readonly random: Random;
  };
}

export function createDeliveryHandler(): Handler<DeliveryServices> {
  return defineHandler<DeliveryPayload, DeliveryServices>(
    deliveryKind,
    deliverySchema,
    async ({ task, services: { webhooks }, signal, markStart }) => {
      const { endpoint: id, event } = task.payload;
      const endpoint = (await webhooks.endpoints.list()).find((one) => one.id === id);
      if (!endpoint) return skip(`the webhook ${id} was removed`);
      if (endpoint.disabled) return skip(`the webhook ${id} is disabled: ${endpoint.disabled.reason}`); // prettier-ignore
      markStart();
      const attempt = { used: task.used, isLast: task.used >= task.attemptsMax };
      try {
        const answer = await postEvent(endpoint, event, webhooks, signal);
        return await judge(answer, { id, ...attempt }, webhooks);
      } catch (error) {
        signal.throwIfAborted();
        // The address is private, or this node lacks the secret: another attempt cannot succeed.
        if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
        return await failed(error.message, { id, ...attempt }, webhooks);
      }
    },
    { timeoutMs: 60_000, retry: { attempts: attemptsMax } },
  );
}

/** Makes one attempt. The signature has the current time. */
export async function postEvent(
  endpoint: Endpoint,
  event: WebhookEvent,
  { poster, reveal, clock }: Omit<DeliveryServices["webhooks"], "endpoints" | "random">,
  signal?: AbortSignal,
): Promise<PostAnswer> {
  const nowMs = clock.nowMs();
  const body = webhookBody(event);
  const secrets = await validSecrets(endpoint, nowMs, reveal);
  const headers = webhookHeaders({ id: event.id, body }, { nowMs, secrets });
  return poster.post({ url: endpoint.url, headers, body, signal });
}

interface Tried {
  readonly id: string;
  /** The number of this attempt, from 1. */
  readonly used: number;
  readonly isLast: boolean;
}

async function judge(
  { status, retryAfterMs }: PostAnswer,
  tried: Tried,
  webhooks: DeliveryServices["webhooks"],
): Promise<HandlerOutcome> {
  if (status >= 200 && status < 300) return done({ status });
  if (status === 410) {
    await webhooks.endpoints.disable(tried.id, "it answered 410 Gone");
    return fail("it answered 410 Gone: the webhook is disabled");
  }
  const text = status >= 300 && status < 400 ? `${status}: redirects are not followed` : status;
  const isBusy = status === 429 || status === 502 || status === 503 || status === 504;
  const leastMs = Math.min(retryAfterMs ?? 0, retryAfterMsMax);
  return await failed(`it answered ${text}`, tried, webhooks, { leastMs, isBusy });
}

async function failed(
  reason: string,
  { id, used, isLast }: Tried,
  { endpoints, random }: DeliveryServices["webhooks"],
  { leastMs = 0, isBusy = false } = {},
): Promise<HandlerOutcome> {
  if (isLast) {
    await endpoints.disable(id, `${used} attempts failed, the last one because ${reason}`);
    return fail(`${reason}; that was the last of ${used} attempts, and the webhook is disabled`);
  }
  const waitMs = waitsMs[Math.min(used, waitsMs.length) - 1]!;
  const delayMs = Math.max(leastMs, Math.round(waitMs * (0.9 + 0.2 * random.next())));
  const slowDown = leastMs > 0 ? { retryAfterMs: leastMs } : {};
  return retry(reason, { delayMs, ...(isBusy && { slowDown }) });
}
