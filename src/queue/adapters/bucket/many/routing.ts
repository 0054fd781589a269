import type { Identity } from "../../../task.ts";
import { findControlJob, type Control } from "../storage/control.ts";

/**
 * Which shard a task lives in: that of its gate, since a gate is kept in one place; without a gate
 * that of its key. An id says it by itself. Never to be changed: stored queues depend on it.
 */
export interface Routing {
  ofId(id: number): number;
  ofGate(gate: string): number;
  /** `gate` of a bound job wins over the task's own. */
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

/** FNV-1a over UTF-8, with a last mix, because its low bits alone are poor. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  value ^= value >>> 16;
  value = Math.imul(value, 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** Items by shard, each with its place in the whole. */
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
