import { lastKnown, type Vector } from "../fold/vector.ts";
import type { DatagramRange } from "../journal/journal-reader.ts";
import type { NodeFile } from "../node-file.ts";
import type { Replica } from "./replica.ts";

export interface AdvertisedOptions {
  readonly replica: Replica;
  readonly identity: NodeFile;
  /**
   * The session of this process: its last number on the disk, and its last number that was given
   * out.
   */
  readonly own:
    | { readonly key: string; readonly durable: number; readonly last: number }
    | undefined;
  /** Own datagrams that must not be advertised yet, because they may have to be re-stamped. */
  readonly unpublished: readonly DatagramRange[];
}

/**
 * What this node may advertise: durable datagrams, without those that may have to be re-stamped.
 */
export function advertisedOf({ replica, identity, own, unpublished }: AdvertisedOptions): Vector {
  const known = replica.vector();
  const isAllDurable = own === undefined || own.durable === own.last;
  if (isAllDurable && unpublished.length === 0) return known;
  const advertised = new Map(known);
  const limit = (key: string, number: number) => {
    if (number === 0) advertised.delete(key);
    else advertised.set(key, number);
  };
  if (own) limit(own.key, own.durable);
  for (const { key } of unpublished) {
    limit(key, Math.max(identity.published[key] ?? 0, lastKnown(replica.base.vector, key)));
  }
  return advertised;
}
