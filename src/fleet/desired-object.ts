import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { createSharedObject, type Bucket, type SharedObject } from "../bucket/index.ts";
import type { DesiredState } from "./desired-state.ts";
import { checkDesired } from "./desired-format.ts";

export const desiredKey = "fleet/desired.json";

export interface DesiredObjectOptions {
  readonly bucket: Bucket;
  /** One life of one writer; never used again. */
  readonly session: string;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The object that holds the desired state of a fleet. Many may write it: a command whose answer was
 * lost is found applied by the number of its session's last commit, and is never applied twice.
 * A look at what has not changed is a conditional GET.
 */
export function openDesiredObject(options: DesiredObjectOptions): SharedObject<DesiredState> {
  const object = createSharedObject<unknown>({ ...options, key: desiredKey, isSticky: true });
  let last: { readonly raw: unknown; readonly desired: DesiredState } | undefined;
  /** What has not changed is the same object, so that nobody looks through it again. */
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
