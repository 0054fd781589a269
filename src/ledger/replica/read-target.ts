import { partOf, type TargetState } from "../fold/part-state.ts";
import { visibleOf } from "../fold/lane.ts";
import type { Replica } from "./replica.ts";
import type { StatePage } from "../state/state-store.ts";
import {
  mergedInto,
  viewTarget,
  type ConflictPage,
  type ConflictView,
  type TargetView,
} from "../view.ts";

/** A target that others were merged into has an element for each: `merged/<target>`. */
const mergedPrefix = "merged/";
/** More are an error or an attack. */
const mergedMax = 1_000;

/** A target, including what was written to targets merged into it since their merge. */
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

/** The same for many. Targets of one part are read together, one part at a time. */
export async function readTargets(
  replica: Replica,
  targets: readonly string[],
): Promise<readonly TargetView[]> {
  const views: TargetView[] = [];
  for (let from = 0; from < targets.length;) {
    const part = partOf(targets[from]!);
    let to = from + 1;
    while (to < targets.length && partOf(targets[to]!) === part) to += 1;
    const some = targets.slice(from, to);
    const found = await replica.withTargets(some, (fieldsOf) =>
      some.map((target) => {
        const fields = fieldsOf(target);
        // Few targets have merged ones: these are read one by one.
        return elementsOf(fields).length > 0 ? undefined : viewTarget(target, fields ?? new Map());
      }),
    );
    for (const [index, view] of found.entries()) {
      views.push(view ?? (await readTarget(replica, some[index]!)));
    }
    from = to;
  }
  return views;
}

/** Also targets merged indirectly. Cycles are cut. */
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

function elementsOf(fields: TargetState | undefined): readonly string[] {
  const found: string[] = [];
  for (const [field, cell] of fields ?? []) {
    if (!field.startsWith(mergedPrefix) || visibleOf(cell) === undefined) continue;
    found.push(field.slice(mergedPrefix.length));
  }
  return found;
}

/** The two changes that merge one target into another; write both in one commit. */
export const mergeChanges = (target: string, into: string) => [
  { target, field: "mergedInto", value: into },
  { target: into, field: `${mergedPrefix}${target}`, value: true },
];

/** The conflicts of a page of targets, of which not all have some. */
export async function conflictsOf(replica: Replica, page: StatePage): Promise<ConflictPage> {
  const { targets, next } = await replica.conflicted(page);
  const conflicts: ConflictView[] = [];
  for (const target of targets) {
    await replica.withTargets([target], (fieldsOf) => {
      const fields = fieldsOf(target);
      if (fields) conflicts.push(...viewTarget(target, fields).conflicts);
    });
  }
  return { conflicts, ...(next !== undefined && { next }) };
}
