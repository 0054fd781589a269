import type { Core } from "./core.ts";
import type { Datagram } from "./datagram/datagram.ts";
import { partCount } from "./fold/part-state.ts";
import { lastKnown, sessionKey } from "./fold/vector.ts";

export interface LogPage {
  readonly from: number;
  readonly limit: number;
}

/** The datagrams beyond the checkpoint, as they are in the journals. */
export async function* logOf(core: Core): AsyncGenerator<Datagram> {
  const replica = core.replica();
  /** The last number of each session so far: a datagram may be in the journals twice. */
  const reached = new Map(replica.base.vector);
  for await (const some of core.journal().scan()) {
    for (const datagram of some) {
      const key = sessionKey(datagram);
      const { number } = datagram;
      if (number <= lastKnown(reached, key) || number > lastKnown(replica.vector(), key)) continue;
      reached.set(key, number);
      yield datagram;
    }
  }
}

/** All datagrams of these targets. */
export async function writtenOf(core: Core, targets: readonly string[]) {
  const wanted = new Set(targets);
  const found: Datagram[] = [];
  if (wanted.size === 0) return found;
  for await (const one of logOf(core)) if (wanted.has(one.target)) found.push(one);
  return found;
}

/** Pages read in order cost one pass over the journals: the position of the last one is kept. */
export function createLogPages(core: Core): (page: LogPage) => Promise<readonly Datagram[]> {
  let place: { next: number; readonly items: AsyncGenerator<Datagram> } | undefined;
  return async ({ from, limit }) => {
    const mine = place?.next === from ? place : { next: 0, items: logOf(core) };
    place = undefined; // no other call may continue with it meanwhile
    const found: Datagram[] = [];
    while (found.length < limit) {
      const { value, done } = await mine.items.next();
      if (done) return found;
      if (mine.next >= from) found.push(value);
      mine.next += 1;
    }
    place = mine;
    return found;
  };
}

export type LogOutline = Pick<Datagram, "node" | "session" | "number" | "stamp" | "target">;

/** Up to this many datagrams are listed completely. */
const outlineMax = 5_000;

export async function outlineOf(core: Core): Promise<readonly LogOutline[]> {
  const replica = core.replica();
  const found: LogOutline[] = [];
  if (replica.beyond() <= outlineMax) {
    for await (const { node, session, number, stamp, target } of logOf(core)) {
      found.push({ node, session, number, stamp, target });
    }
    return found;
  }
  for (const [key, to] of replica.vector()) {
    const from = lastKnown(replica.base.vector, key) + 1;
    const [node = "", session = ""] = key.split("/");
    if (from > to) continue;
    for (const run of core.journal().runsOf(key)) {
      if (run.first < from || run.first > to) continue;
      found.push({ node, session, number: run.first, stamp: run.stamp, target: "" });
    }
    const ends = [from, Math.min(to, core.journal().lastOf(key))];
    for (const number of ends) {
      found.push(...(await core.journal().readAll({ key, from: number, to: number })));
    }
  }
  return found.map(({ node, session, number, stamp, target }) => {
    return { node, session, number, stamp, target };
  });
}

/** Reads every part of the checkpoint and every journal, and throws if one of them is damaged. */
export async function checkFiles(core: Core): Promise<void> {
  const { base } = core.replica();
  for (let index = 0; index < partCount; index++) await base.readPart(index);
  for await (const _some of core.journal().scan());
}

/** What this node wrote after a moment, from those of its sessions that are recent enough. */
export async function writtenAfter(
  core: Core,
  stamp: string,
  sourcePrefix = "",
): Promise<readonly Datagram[]> {
  const { node } = core.identity();
  const found: Datagram[] = [];
  const day = stamp.slice(0, 10).replaceAll("-", "");
  const isRecent = (file: string) => file.startsWith(`wal/${node}/`) && file.slice(-12, -4) >= day;
  for await (const some of core.journal().scan(isRecent)) {
    for (const one of some)
      if (one.stamp > stamp && one.source.startsWith(sourcePrefix)) found.push(one);
  }
  return found;
}
