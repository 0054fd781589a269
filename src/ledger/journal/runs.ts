import type { SessionKey } from "../fold/vector.ts";
import type { JournalRun } from "../state/state-store.ts";

/** The position of a datagram in a journal file. */
export interface JournalPlace {
  readonly key: SessionKey;
  readonly number: number;
  readonly stamp: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Where datagrams are in the journal files: one entry for some hundred consecutive datagrams. A few
 * datagrams are found by reading one such run, whatever the size of the journals.
 */
export interface Runs {
  add(file: string, place: JournalPlace): void;
  /** A run that contains this datagram. */
  find(key: SessionKey, number: number): JournalRun | undefined;
  /** All runs of a session. */
  of(key: SessionKey): readonly JournalRun[];
  /** The last number of a session in any file; 0: none. */
  lastOf(key: SessionKey): number;
  dropFile(file: string): void;
  /** Runs added since `forgetChanges`. */
  changes(): readonly JournalRun[];
  forgetChanges(): void;
}

const runBytesMax = 65_536;

type OpenRun = { -readonly [Name in keyof JournalRun]: JournalRun[Name] };

export function createRuns(stored: readonly JournalRun[] = []): Runs {
  const bySession = new Map<SessionKey, OpenRun[]>();
  const byFile = new Map<string, OpenRun[]>();
  const lastOf = new Map<SessionKey, number>();
  const changed = new Set<OpenRun>();

  const insert = (run: OpenRun) => {
    const some = listIn(bySession, run.key);
    const isLast = some.length === 0 || some.at(-1)!.first <= run.first;
    some.push(run);
    if (!isLast) some.sort((a, b) => a.first - b.first);
    listIn(byFile, run.file).push(run);
    lastOf.set(run.key, Math.max(lastOf.get(run.key) ?? 0, run.last));
  };
  for (const run of stored) insert({ ...run });

  return {
    add(file, { key, number, stamp, start, end }) {
      const last = byFile.get(file)?.at(-1);
      const isNext =
        last?.key === key &&
        last.last + 1 === number &&
        last.end === start &&
        start - last.start < runBytesMax;
      if (isNext) {
        last.last = number;
        last.end = end;
        lastOf.set(key, Math.max(lastOf.get(key) ?? 0, number));
        changed.add(last);
        return;
      }
      const run: OpenRun = { key, first: number, last: number, file, start, end, stamp };
      insert(run);
      changed.add(run);
    },
    find(key, number) {
      const some = bySession.get(key) ?? [];
      let [low, high] = [0, some.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (some[middle]!.first <= number) low = middle + 1;
        else high = middle;
      }
      for (let at = low - 1; at >= 0; at--) if (some[at]!.last >= number) return some[at];
      return undefined;
    },
    of: (key) => bySession.get(key) ?? [],
    lastOf: (key) => lastOf.get(key) ?? 0,
    dropFile(file) {
      const gone = new Set(byFile.get(file));
      byFile.delete(file);
      for (const key of new Set([...gone].map((run) => run.key))) {
        const left = bySession.get(key)!.filter((run) => !gone.has(run));
        if (left.length > 0) bySession.set(key, left);
        else bySession.delete(key);
        const last = left.reduce((max, run) => Math.max(max, run.last), 0);
        if (last > 0) lastOf.set(key, last);
        else lastOf.delete(key);
      }
      for (const run of gone) changed.delete(run);
    },
    changes: () => [...changed].map((run) => ({ ...run })),
    forgetChanges: () => changed.clear(),
  };
}

function listIn(map: Map<string, OpenRun[]>, key: string): OpenRun[] {
  let some = map.get(key);
  if (!some) map.set(key, (some = []));
  return some;
}
