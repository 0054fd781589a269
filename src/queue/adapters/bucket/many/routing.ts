import type { Identity } from "../../../task.ts";
import { findControlJob, type Control } from "../storage/control.ts";

/**
 * The shard of a task: the shard of its gate, because a gate must be in one place; without a gate,
 * the shard of its key. The id of a task contains its shard. This must never change: stored queues
 * depend on it.
 */
export interface Routing {
  ofId(id: number): number;
  ofGate(gate: string): number;
  /** The gate that the job is bound to takes precedence over the task's own gate. */
  ofTask(task: Identity, control: Control): number;
}

export const createRouting = (shards: number): Routing => ({
  ofId: (id) => id % shards,
  ofGate: (gate) => hash(`gate ${gate}`) % shards,
  ofTask(task, control) {
    const gate = boundGate(control, task.job) || task.gate;
    return gate === "" ? hash(`key ${task.key}`) % shards : hash(`gate ${gate}`) % shards;
  },
});

export const boundGate = (control: Control, job: string): string =>
  findControlJob(control, job)?.gate ?? "";

/**
 * FNV-1a over UTF-8, with a final mixing step, because its low bits alone are poorly distributed.
 */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  value ^= value >>> 16;
  value = Math.imul(value, 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** Groups items by shard, each with its index in the input. */
export function byShard<T>(
  items: readonly T[],
  shardOf: (item: T) => number,
): ReadonlyMap<number, readonly { readonly item: T; readonly at: number }[]> {
  const parts = new Map<number, { item: T; at: number }[]>();
  items.forEach((item, at) => {
    const shard = shardOf(item);
    const part = parts.get(shard);
    if (part) part.push({ item, at });
    else parts.set(shard, [{ item, at }]);
  });
  return parts;
}
