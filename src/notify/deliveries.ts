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

const openStates = ["pending", "running"] as const;
const endedStates = ["done", "skipped", "failed"] as const;
const pageLength = 500;
/** At most this many tasks are read of each part. */
const lookedAtMax = 20_000;

/** Those that are not finished, and those that ended last; the newest first. */
export async function listDeliveries(
  queue: Pick<Queue, "browse" | "ended" | "now">,
  { endpoint, states = [...openStates, ...endedStates], limit }: DeliveriesQuery,
): Promise<readonly Delivery[]> {
  const { ms, wallMs } = await queue.now();
  const wanted = { kind: deliveryKind, job: deliveryJob, limit: pageLength };
  const read = async (page: (last: Task | undefined) => Promise<readonly Task[]>, max: number) => {
    const found: Delivery[] = [];
    let last: Task | undefined;
    for (let seen = 0; seen < lookedAtMax && found.length < max; seen += pageLength) {
      const tasks = await page(last);
      const all = tasks.flatMap((task) => toDelivery(task, wallMs - ms) ?? []);
      found.push(...all.filter((one) => endpoint === undefined || one.endpoint === endpoint));
      last = tasks.at(-1);
      if (tasks.length < pageLength) break;
    }
    return found;
  };
  const open = openStates.filter((state) => states.includes(state));
  const ended = endedStates.filter((state) => states.includes(state));
  const found = [
    ...(open.length === 0
      ? []
      : await read((last) => queue.browse({ ...wanted, states: open, afterId: last?.id ?? 0 }), Infinity)), // prettier-ignore
    ...(ended.length === 0
      ? []
      : await read((after) => queue.ended({ ...wanted, states: ended, isNewestFirst: true, ...(after && { after }) }), limit)), // prettier-ignore
  ];
  return found.toSorted((a, b) => b.id - a.id).slice(0, limit);
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
