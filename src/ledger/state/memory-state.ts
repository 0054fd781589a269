import { partOf } from "../fold/part-state.ts";
import type {
  FoldedFile,
  JournalRun,
  StateBatch,
  StateHead,
  StatePage,
  StateStore,
  StoredTarget,
} from "./state-store.ts";

type Parts = Map<number, Map<string, StoredTarget>>;

/** The content that survives restarts of one node. */
export interface MemoryStateContent {
  readonly targets: Parts;
  readonly staged: Parts;
  readonly files: Map<string, FoldedFile>;
  readonly runs: Map<string, JournalRun>;
  head: StateHead | undefined;
}

export const emptyStateContent = (): MemoryStateContent => ({
  targets: new Map(),
  staged: new Map(),
  files: new Map(),
  runs: new Map(),
  head: undefined,
});

/** StateStore in a variable. */
export function createMemoryState(content: MemoryStateContent = emptyStateContent()): StateStore {
  const { targets, staged, files, runs } = content;
  const page = (all: Iterable<StoredTarget>, { after, limit }: StatePage) =>
    [...all]
      .filter(({ target }) => after === undefined || compareBytes(target, after) > 0)
      .sort((a, b) => compareBytes(a.target, b.target))
      .slice(0, limit);
  const put = (parts: Parts, all: readonly StoredTarget[]) => {
    for (const one of all) {
      const part = partOf(one.target);
      const some = parts.get(part) ?? new Map<string, StoredTarget>();
      parts.set(part, some.set(one.target, one));
    }
  };
  const textOf = (parts: Parts, target: string) => parts.get(partOf(target))?.get(target)?.text;
  return {
    isReadOnly: false,
    head: () => content.head,
    read: (target) => textOf(targets, target),
    readStaged: (target) => textOf(staged, target),
    list: (part, at) => page(targets.get(part)?.values() ?? [], at),
    listConflicted(at) {
      const all = [...targets.values()].flatMap((some) => [...some.values()]);
      return page(
        all.filter((one) => one.isConflicted),
        at,
      );
    },
    files: () => [...files.values()],
    runs: () => [...runs.values()],
    apply(batch: StateBatch) {
      for (const name of batch.dropFiles ?? []) {
        files.delete(name);
        for (const [place, { file }] of runs) if (file === name) runs.delete(place);
      }
      put(targets, batch.targets ?? []);
      put(staged, batch.staged ?? []);
      for (const file of batch.files ?? []) files.set(file.name, file);
      for (const run of batch.runs ?? []) runs.set(`${run.file} ${run.start}`, run);
      for (const part of batch.promote ?? []) {
        targets.set(part, staged.get(part) ?? new Map<string, StoredTarget>());
        staged.delete(part);
      }
      if (batch.dropStaged) staged.clear();
      if (batch.head) content.head = { ...content.head, ...batch.head } as StateHead;
    },
    clear() {
      for (const map of [targets, staged, files, runs]) map.clear();
      content.head = undefined;
    },
    [Symbol.dispose]() {},
  };
}

/** Compares two texts by their UTF-8 bytes. This order differs from that of their UTF-16 units. */
export function compareBytes(a: string, b: string): number {
  if (isPlain.test(a) && isPlain.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const isPlain = /^[ -~]*$/;
