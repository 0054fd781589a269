import { createId } from "../base/ids.ts";
import { noTime, parseStamp, stampOf, tick, witness } from "./clock/stamp.ts";
import type { Core } from "./core.ts";
import { nodeIdLength, sessionIdLength } from "./datagram/check-parts.ts";
import { dotOf, referenceOf, stampWidth, type Datagram } from "./datagram/datagram.ts";
import { sessionKey } from "./fold/vector.ts";
import { logOf } from "./log.ts";
import { isMoved, type Move } from "./node-file.ts";

/**
 * Why datagrams move:
 * - `ahead`, `cloned`: they were not published, because their stamps were ahead of the time, or
 *   because this disk is a clone and takes another id;
 * - `hole`: they follow datagrams that are lost for good. They keep their stamps.
 */
export type MoveReason = "ahead" | "cloned" | "hole";

/**
 * Writes own datagrams again under another session. Each step is durable before the next, so a
 * crash between any two is repaired at the next start:
 * 1. the plan is written to the node's file;
 * 2. the new session is written to the journal completely (else the next start removes it);
 * 3. the old datagrams are removed from the journal;
 * 4. the node's file names the new node, without a plan.
 *
 * Nothing may be appended meanwhile. The core does not see the change until it is loaded again.
 */
export async function move(core: Core, reason: MoveReason): Promise<number> {
  const { random } = core.options;
  const tail = [...(reason === "hole" ? core.strandedOwn() : await readUnpublished(core))];
  const node = reason === "cloned" ? createId(random, nodeIdLength) : core.identity().node;
  const first = new Map<string, number>();
  for (const datagram of tail) {
    const key = sessionKey(datagram);
    first.set(key, Math.min(first.get(key) ?? Infinity, datagram.number));
  }
  const plan: Move = {
    node,
    session: createId(random, sessionIdLength),
    count: tail.length,
    from: [...first].map(([key, number]) => ({ key, number })),
  };
  await core.saveIdentity({ moving: plan });
  const keepsStamps = reason === "hole";
  if (tail.length > 0) {
    const highWater = await trueHighWater(core, plan);
    await core.journal().append(rewritten(core, plan, { tail, keepsStamps, highWater }));
  }
  await finishMove(core, plan, reason === "ahead");
  await core.reload();
  return tail.length;
}

/**
 * Completes a move that a crash interrupted, if all of the new session is there; else undoes it.
 */
export async function settleMove(core: Core): Promise<void> {
  const { moving } = core.identity();
  if (!moving) return;
  const key = `${moving.node}/${moving.session}`;
  if ((core.replica().vector().get(key) ?? 0) >= moving.count) {
    await finishMove(core, moving, true);
  } else {
    await core.journal().remove((datagram) => sessionKey(datagram) === key);
    const { moving: _undone, ...identity } = core.identity();
    await core.replaceIdentity(identity);
  }
  await core.reload();
}

async function finishMove(core: Core, plan: Move, isClockReset: boolean): Promise<void> {
  await core.journal().remove((datagram) => isMoved(plan, datagram));
  const { moving: _done, ...identity } = core.identity();
  const highWater = isClockReset ? await trueHighWater(core, plan) : core.highWater();
  const movedAway = [...(identity.movedAway ?? []), ...plan.from];
  // Counted again when the ledger is next opened or closed.
  const ownDatagrams = 0;
  await core.replaceIdentity({ ...identity, node: plan.node, highWater, movedAway, ownDatagrams });
}

/** The latest moment among the datagrams that were not moved. */
async function trueHighWater(core: Core, plan: Move): Promise<string> {
  let last = core.replica().base.latest;
  for await (const datagram of logOf(core)) {
    if (!isMoved(plan, datagram) && !core.replica().heldBack().has(dotOf(datagram))) {
      last = witness(last, parseStamp(datagram.stamp));
    }
  }
  return last.ms === 0 ? "" : stampOf(last);
}

async function readUnpublished(core: Core): Promise<readonly Datagram[]> {
  const all: Datagram[] = [];
  for (const range of core.unpublished()) {
    for (const one of await core.journal().readAll(range)) all.push(one);
  }
  return all;
}

interface Rewriting {
  readonly tail: readonly Datagram[];
  readonly keepsStamps: boolean;
  readonly highWater: string;
}

function rewritten(
  core: Core,
  plan: Move,
  { tail, keepsStamps, highWater }: Rewriting,
): readonly Datagram[] {
  const references = new Map<string, string>();
  let clock = highWater === "" ? noTime : parseStamp(highWater);
  let commit = 0;
  let stamp = "";
  return tail.map((old, index) => {
    const before = tail[index - 1];
    if (!before || before.commit !== old.commit || sessionKey(before) !== sessionKey(old)) {
      commit = index + 1 + (old.commit - old.number);
      clock = tick(clock, core.time.nowMs());
      stamp = stampOf(clock);
    }
    const seen = references.get(old.causality) ?? old.causality;
    const made: Datagram = {
      ...old,
      stamp: keepsStamps ? old.stamp : stamp,
      node: plan.node,
      session: plan.session,
      number: index + 1,
      commit,
      // A write that was seen because this clock was ahead too is later than this one now. A cause is
      // never later than its effect: the fold drops what was erased by stamp, and relies on that.
      causality: keepsStamps || seen.slice(0, stampWidth) < stamp ? seen : "",
    };
    references.set(referenceOf(old), referenceOf(made));
    return made;
  });
}
