import { lastKnown, type Vector } from "./fold/vector.ts";
import type { DatagramRange } from "./journal/journal-reader.ts";
import type { NodeFile } from "./node-file.ts";
import type { Replica } from "./replica.ts";

export interface Telling {
  readonly replica: Replica;
  readonly identity: NodeFile;
  /** This life's session: how much of it is on the disk, and how much was begun. */
  readonly own:
    | { readonly key: string; readonly durable: number; readonly last: number }
    | undefined;
  /** Of one's own what nobody may hear of, because it may have to be written anew. */
  readonly unpublished: readonly DatagramRange[];
}

/** What others may be told of: what is on the disk, less what may be written anew. */
export function toldOf({ replica, identity, own, unpublished }: Telling): Vector {
  const known = replica.vector();
  const isAllDurable = own === undefined || own.durable === own.last;
  if (isAllDurable && unpublished.length === 0) return known;
  const told = new Map(known);
  const limit = (key: string, number: number) => {
    if (number === 0) told.delete(key);
    else told.set(key, number);
  };
  if (own) limit(own.key, own.durable);
  for (const { key } of unpublished) {
    limit(key, Math.max(identity.published[key] ?? 0, lastKnown(replica.base.vector, key)));
  }
  return told;
}
