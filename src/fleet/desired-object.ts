import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { createSharedObject, type Bucket, type SharedObject } from "../bucket/index.ts";
import type { DesiredState } from "./desired-state.ts";
import { checkDesired } from "./desired-format.ts";

export const desiredKey = "fleet/desired.json";

export interface DesiredObjectOptions {
  readonly bucket: Bucket;
  /** The session of one writer in one process; never used again. */
  readonly session: string;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The object that holds the desired state of a fleet. Many may write it: a command whose answer was
 * lost is recognised by the number of its session's last commit, so it is never applied twice.
 * Reading an unchanged state is a conditional GET.
 */
export function openDesiredObject(options: DesiredObjectOptions): SharedObject<DesiredState> {
  const object = createSharedObject<unknown>({ ...options, key: desiredKey, isSticky: true });
  let last: { readonly raw: unknown; readonly desired: DesiredState } | undefined;
  /** Returns the same object for an unchanged state, so that it is not checked again. */
  const check = (raw: unknown): DesiredState | undefined => {
    if (raw === undefined) return undefined;
    if (last?.raw !== raw) last = { raw, desired: checkDesired(raw, desiredKey) };
    return last.desired;
  };
  return {
    read: async () => check(await object.read()),
    seen: () => check(object.seen()),
    hasCompany: (withinMs) => object.hasCompany(withinMs),
    change: async (change) =>
      (await object.change((value, number) => change(check(value), number))) as DesiredState,
  };
}
