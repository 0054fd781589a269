import { AppError } from "../base/app-error.ts";
import type { Queue, Task, TaskState } from "../queue/index.ts";
import { deliveryJob, deliveryKind, deliverySchema, deliveryTask } from "./delivery.ts";
import type { Endpoints } from "./endpoints.ts";

/** A delivery as lists show it. It is a task of the queue, and is kept as long as tasks are. */
export interface Delivery {
  readonly id: number;
  readonly endpoint: string;
  readonly event: string;
  readonly type: string;
  readonly state: TaskState;
  /** The number of attempts so far. */
  readonly attempts: number;
  readonly addedAt: string;
  readonly endedAt: string | null;
  /** Why the last attempt failed, or what the receiver answered. */
  readonly answer: string | null;
}

export interface DeliveriesQuery {
  readonly endpoint?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  readonly limit: number;
}

const pageLength = 500;
/** At most this many tasks are read, newest last. */
const lookedAtMax = 20_000;

/** Newest first. */
export async function listDeliveries(
  queue: Pick<Queue, "browse" | "now">,
  { endpoint, states, limit }: DeliveriesQuery,
): Promise<readonly Delivery[]> {
  const { ms, wallMs } = await queue.now();
  const found: Delivery[] = [];
  let afterId = 0;
  for (let seen = 0; seen < lookedAtMax;) {
    const page = await queue.browse({
      kind: deliveryKind,
      job: deliveryJob,
      ...(states && { states }),
      ...(endpoint !== undefined && { keyPrefix: `${endpoint} ` }),
      afterId,
      limit: pageLength,
    });
    found.push(...page.flatMap((task) => toDelivery(task, wallMs - ms) ?? []));
    if (found.length > limit * 2) found.splice(0, found.length - limit);
    const last = page.at(-1);
    if (!last || page.length < pageLength) break;
    afterId = last.id;
    seen += page.length;
  }
  return found.slice(-limit).toReversed();
}

/** Sends the event of a delivery once more, with the same `webhook-id`. Returns the new task. */
export async function replayDelivery(
  {
    queue,
    endpoints,
  }: {
    readonly queue: Pick<Queue, "add" | "now" | "show">;
    readonly endpoints: Pick<Endpoints, "get">;
  },
  id: number,
): Promise<number> {
  const task = (await queue.show(id))?.task;
  const payload = task?.kind === deliveryKind && deliverySchema.safeParse(JSON.parse(task.payload));
  if (!task || !payload || !payload.success) {
    throw new AppError("invalid", "no_delivery", `there is no delivery ${id}: \`forager webhook deliveries\` shows them`); // prettier-ignore
  }
  const endpoint = await endpoints.get(payload.data.endpoint);
  if (endpoint.disabled) {
    throw new AppError("conflict", "endpoint_disabled", `the webhook ${endpoint.id} is disabled: \`forager webhook enable ${endpoint.id}\` first`); // prettier-ignore
  }
  const { wallMs } = await queue.now();
  const again = `again-${id}-${wallMs}`;
  const [added] = await queue.add([deliveryTask(endpoint, payload.data.event, { again })]);
  if (added?.status === "added") return added.id;
  const why = added?.status ?? "refused";
  throw new AppError("conflict", "delivery_refused", `the queue refused the delivery: ${why}`);
}

function toDelivery(task: Task, aheadMs: number): Delivery | undefined {
  const payload = deliverySchema.safeParse(JSON.parse(task.payload));
  if (!payload.success) return undefined;
  const { endpoint, event } = payload.data;
  const timeOf = (ms: number) => new Date(Math.round(ms + aheadMs)).toISOString();
  return {
    id: task.id,
    endpoint,
    event: event.id,
    type: event.type,
    state: task.state,
    attempts: task.used,
    addedAt: timeOf(task.createdAtMs),
    endedAt: task.finishedAtMs === 0 ? null : timeOf(task.finishedAtMs),
    answer: answerOf(task),
  };
}

function answerOf({ state, result, attempts }: Task): string | null {
  if (state !== "done") return attempts.at(-1)?.reason ?? null;
  const { status } = JSON.parse(result ?? "{}") as { readonly status?: number };
  return status === undefined ? null : `it answered ${status}`;
}
