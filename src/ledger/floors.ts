import type { Datagram } from "./datagram/datagram.ts";
import { erasedFields, eraseRegisters, hasErasedField } from "./erase.ts";
import { isErased, type Markers } from "./fold/erased.ts";
import { decodePart } from "./fold/part-file.ts";
import { forgottenField, isScrubbed, partOf, type TargetState } from "./fold/part-state.ts";
import { forgetRegister, forgottenTargets } from "./forget.ts";
import type { Base } from "./replica/replica.ts";

/** What has to be removed from logs. */
export interface Floors {
  /** Forgotten targets: their datagrams up to this stamp. */
  readonly targets: ReadonlyMap<string, string>;
  /** By target: its fields that were erased. */
  readonly erased: ReadonlyMap<string, Markers>;
}

/** Reads the registers of forgotten targets and, if any field was ever erased, of erased fields. */
export async function readFloors(
  read: (targets: readonly string[]) => Promise<readonly (TargetState | undefined)[]>,
): Promise<Floors> {
  const [register] = await read([forgetRegister]);
  const shards = register?.has(hasErasedField) ? await read(eraseRegisters) : [];
  return { targets: forgottenTargets(register), erased: erasedFields(shards) };
}

export const hasFloors = ({ targets, erased }: Floors): boolean => targets.size + erased.size > 0;

/** When something was last forgotten, and when something was last erased; "" for never. */
export const newestFloors = ({ targets, erased }: Floors) => ({
  forgotten: latestOf(targets.values()),
  erased: latestOf([...erased.values()].flatMap((markers) => [...markers.values()])),
});

const latestOf = (stamps: Iterable<string>): string => {
  let latest = "";
  for (const stamp of stamps) if (stamp > latest) latest = stamp;
  return latest;
};

/** Whether a datagram is to lose its content now. Tombstones and markers stay. */
export function isToScrub({ targets, erased }: Floors, datagram: Datagram): boolean {
  const { target, field, stamp } = datagram;
  if (field === forgottenField || isScrubbed(datagram)) return false;
  const floor = targets.get(target);
  if (floor !== undefined && stamp <= floor) return true;
  const markers = erased.get(target);
  return markers !== undefined && isErased(markers, datagram);
}

/**
 * Whether a datagram of a forgotten target or an erased field still has its content. This includes
 * datagrams that a node wrote because it did not know yet that the target was forgotten: they are
 * hidden, and their content is removed when the target is forgotten again.
 */
export const isLeft = (floors: Floors, datagram: Datagram): boolean =>
  isToScrub(floors, datagram) ||
  (floors.targets.has(datagram.target) &&
    datagram.field !== forgottenField &&
    !isScrubbed(datagram));

/** How many datagrams of forgotten targets and erased fields a checkpoint still holds. */
export async function countInCheckpoint(base: Base, floors: Floors): Promise<number> {
  let count = 0;
  const targets = new Set([...floors.targets.keys(), ...floors.erased.keys()]);
  for (const index of new Set([...targets].map(partOf))) {
    const text = await base.readPart(index);
    if (text === undefined) continue;
    for (const [target, fields] of decodePart(text, `part ${index}`)) {
      if (!targets.has(target)) continue;
      for (const { lanes, conflicts } of fields.values()) {
        const datagrams = [...lanes.flatMap((entry) => entry?.datagram ?? []), ...conflicts];
        count += datagrams.filter((one) => isLeft(floors, one)).length;
      }
    }
  }
  return count;
}
