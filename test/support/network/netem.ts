/**
 * Trouble as the kernel makes it: `tc netem` on the card of each node, where the kernel has it. Many
 * are built without; there the relay makes the same trouble. Cuts are the relay's in either case.
 */
import type { Shape } from "./relay.ts";

/** Runs a program in a node's namespace, and throws where it fails. */
export type RunThere = (command: string, args: readonly string[]) => Promise<string>;

/** Frames wait here while they are delayed; the kernel's own limit is less than a burst of ours. */
const framesMax = 10_000;

/** `tc qdisc replace` does as well where there is none yet, and none of these words means none. */
export function netemArgs(shape: Shape, card = "lan0"): readonly string[] {
  const { lossShare = 0, delayMs = 0, jitterMs = 0, reorderShare = 0, twiceShare = 0 } = shape;
  // Ours is added to the delay, theirs is around it.
  const delay = ms(delayMs + jitterMs / 2);
  return [
    "qdisc",
    "replace",
    "dev",
    card,
    "root",
    "netem",
    "limit",
    String(framesMax),
    ...(lossShare > 0 ? ["loss", percent(lossShare)] : []),
    ...(delayMs + jitterMs > 0
      ? ["delay", delay, ...(jitterMs > 0 ? [ms(jitterMs / 2)] : [])]
      : []),
    ...(reorderShare > 0 ? ["reorder", percent(reorderShare)] : []),
    ...(twiceShare > 0 ? ["duplicate", percent(twiceShare)] : []),
  ];
}

const percent = (share: number) => `${Number((100 * share).toFixed(4))}%`;
const ms = (time: number) => `${Number(time.toFixed(3))}ms`;

/** Undefined: the kernel takes such a queueing discipline, as was tried; else why it does not. */
export async function whyNoQdisc(
  run: RunThere,
  kind: readonly string[],
): Promise<string | undefined> {
  try {
    await run("tc", ["qdisc", "add", "dev", "lo", "root", ...kind]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  await run("tc", ["qdisc", "del", "dev", "lo", "root"]);
  return undefined;
}

/** Whatever a test may ask for, so that an old `tc` is found out before and not midway. */
export const whyNoNetem = (run: RunThere): Promise<string | undefined> =>
  whyNoQdisc(run, ["netem", "loss", "10%", "delay", "50ms", "30ms", "reorder", "10%"]);
