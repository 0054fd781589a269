import type { TargetState } from "./fold/part-state.ts";
import { visibleOf } from "./fold/lane.ts";
import type { Replica } from "./replica.ts";
import { mergedInto, viewTarget, type TargetView } from "./view.ts";

/** A target that took others in says so by an element for each: `merged/<target>`. */
const mergedPrefix = "merged/";
/** More are a mistake, or malice. */
const mergedMax = 1_000;

/** A target with what was written to those that were merged into it, since they were. */
export async function readTarget(replica: Replica, target: string): Promise<TargetView> {
  const others = await mergedTargets(replica, target);
  return replica.withTargets([target, ...others], (fieldsOf) => {
    const merged = others.flatMap((other): TargetState[] => {
      const fields = fieldsOf(other);
      return fields && mergedInto(fields) ? [fields] : [];
    });
    return viewTarget(target, fieldsOf(target) ?? new Map(), merged);
  });
}

/** Also those that went into one that went here. A circle ends where it began. */
async function mergedTargets(replica: Replica, target: string): Promise<readonly string[]> {
  const found = new Set<string>();
  const open = [target];
  for (let next = open.pop(); next !== undefined && found.size < mergedMax; next = open.pop()) {
    const into = next;
    const claimed = await replica.withTargets([into], (fieldsOf) => elementsOf(fieldsOf(into)));
    for (const other of claimed) {
      if (other === target || found.has(other)) continue;
      const goesHere = await replica.withTargets([other], (fieldsOf) => {
        const fields = fieldsOf(other);
        return fields !== undefined && mergedInto(fields)?.into === into;
      });
      if (!goesHere) continue;
      found.add(other);
      open.push(other);
    }
  }
  return [...found];
}

const elementsOf = (fields: TargetState | undefined): readonly string[] =>
  [...(fields ?? [])]
    .filter(([field, cell]) => field.startsWith(mergedPrefix) && visibleOf(cell) !== undefined)
    .map(([field]) => field.slice(mergedPrefix.length));

/** The two changes that merge one target into another; write both in one commit. */
export const mergeChanges = (target: string, into: string) => [
  { target, field: "mergedInto", value: into },
  { target: into, field: `${mergedPrefix}${target}`, value: true },
];
