import type { Queue, TaskInput } from "../queue/index.ts";
import { deliveryTask } from "./delivery.ts";
import type { Endpoint, Endpoints } from "./endpoints.ts";
import type { EventType } from "./event-names.ts";
import { eventId, type WebhookEvent } from "./standard-webhook.ts";

/** An event before it is published. */
export interface NewEvent {
  readonly type: EventType;
  /**
   * Identifies what happened. It is the same on every node, so the fleet delivers the event once.
   */
  readonly key: string;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventPublisher {
  /** Adds a task for each subscribed endpoint. Returns how many tasks were new. */
  publish(event: NewEvent): Promise<number>;
}

export interface EventPublisherOptions {
  readonly endpoints: Pick<Endpoints, "list">;
  readonly queue: Pick<Queue, "add">;
}

export function createEventPublisher({ endpoints, queue }: EventPublisherOptions): EventPublisher {
  return {
    async publish(event) {
      const wanted = (await endpoints.list()).filter((one) => wants(one, event));
      if (wanted.length === 0) return 0;
      const message = messageOf(event);
      const tasks: TaskInput[] = wanted.map((endpoint) => deliveryTask(endpoint, message));
      const answers = await queue.add(tasks);
      return answers.filter(({ status }) => status === "added").length;
    },
  };
}

export const messageOf = ({ type, key, atMs, data }: NewEvent): WebhookEvent => ({
  id: eventId(type, key),
  type,
  timestamp: new Date(atMs).toISOString(),
  data,
});

/** Events from before an endpoint was added are not sent to it. */
const wants = ({ events, disabled, createdAtMs }: Endpoint, { type, atMs }: NewEvent): boolean =>
  disabled === null && atMs >= createdAtMs && (events.length === 0 || events.includes(type));
