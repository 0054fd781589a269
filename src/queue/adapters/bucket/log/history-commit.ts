import type { KeptKey, LogEntry } from "../../../read/log-entry.ts";
import { isMatching } from "../../../model/bulk.ts";
import { identityOf, type Shard } from "../../../model/shard.ts";
import type { ForgetKeys, Operation, PruneLog } from "../../../operation.ts";
import { firstAbsorbed } from "./archive.ts";
import type { EntryRef, ShardHead } from "../head/head.ts";
import type { FoundKey, History } from "./history.ts";

/** The part of the history that a commit needs, and the files that it was read from. */
export interface Recalled {
  readonly shard: Pick<Shard, "log" | "keptKeys">;
  readonly logFiles: ReadonlyMap<EntryRef, readonly LogEntry[]>;
  readonly keyFiles: ReadonlyMap<EntryRef, readonly KeptKey[]>;
  /** Placeholders for reserved keys whose file was not read: only identity and id are real. */
  readonly stubs: ReadonlySet<KeptKey>;
}

export interface RecallOptions {
  readonly history: History;
  /** Identities of the tasks to add that the shard does not know. */
  readonly identities: ReadonlySet<string> | undefined;
}

/** Loads what the model needs for these operations: entries to prune, keys to free, keys to add. */
export async function recallHistory(
  base: ShardHead,
  operations: readonly Operation[],
  { history, identities = new Set() }: RecallOptions,
): Promise<Recalled> {
  const prunes = operations.filter((one): one is PruneLog => one.op === "pruneLog");
  const forgets = operations.filter((one): one is ForgetKeys => one.op === "forgetKeys");
  const logFiles = new Map<EntryRef, readonly LogEntry[]>();
  const sum = (all: readonly { readonly rowsMax: number }[]) =>
    all.reduce((total, one) => total + one.rowsMax, 0); // each operation continues where the previous one stopped
  for (const { finishedBeforeMs } of prunes) {
    const wanted = { finishedBeforeMs, rowsMax: sum(prunes), isWanted: () => true };
    await loadOldest(base.log, logFiles, (ref) => history.readLog(ref), wanted);
  }
  const keyFiles = new Map<EntryRef, readonly KeptKey[]>();
  const readKeys = (ref: EntryRef) => history.readKeys(ref);
  for (const { filter } of forgets) {
    const { finishedBeforeMs = Infinity } = filter;
    const isWanted = (kept: KeptKey) => isMatching(kept, filter);
    const wanted = { finishedBeforeMs, rowsMax: sum(forgets), isWanted };
    await loadOldest(base.keptKeys, keyFiles, readKeys, wanted);
  }
  const isAsked = base.keptKeys.length > 0 && identities.size > 0;
  const kept: ReadonlyMap<string, FoundKey> = isAsked
    ? await history.keptAmong(base, identities)
    : new Map();
  // This commit may also free these keys, so placeholders are not enough: read their files.
  if (forgets.length > 0) {
    for (const { ref } of kept.values()) {
      if (!keyFiles.has(ref)) keyFiles.set(ref, await readKeys(ref));
    }
  }
  const stubs = new Map<string, KeptKey>();
  for (const [identity, { id, ref }] of kept) {
    if (!keyFiles.has(ref)) stubs.set(identity, stubOf(identity, id));
  }
  const entries = [...logFiles.values()].flat();
  const keys = [...keyFiles.values()].flat();
  return {
    shard: {
      log: new Map(entries.map((entry) => [entry.id, entry])),
      keptKeys: new Map([...keys.map((one) => [identityOf(one), one] as const), ...stubs]),
    },
    logFiles,
    keyFiles,
    stubs: new Set(stubs.values()),
  };
}

interface Wanted<T> {
  readonly finishedBeforeMs: number;
  readonly rowsMax: number;
  readonly isWanted: (one: T) => boolean;
}

/** Reads files until they contain the oldest `rowsMax` wanted items, and one more if it exists. */
async function loadOldest<T extends KeptKey>(
  refs: readonly EntryRef[],
  files: Map<EntryRef, readonly T[]>,
  read: (ref: EntryRef) => Promise<readonly T[]>,
  { finishedBeforeMs, rowsMax, isWanted }: Wanted<T>,
): Promise<void> {
  const found: number[] = [];
  for (const ref of [...refs].sort((a, b) => a.fromMs - b.fromMs)) {
    if (ref.fromMs >= finishedBeforeMs) return;
    if (found.length > rowsMax && found.sort((a, b) => a - b)[rowsMax]! < ref.fromMs) return;
    const all = files.get(ref) ?? (await read(ref));
    files.set(ref, all);
    for (const one of all) {
      if (one.finishedAtMs < finishedBeforeMs && isWanted(one)) found.push(one.finishedAtMs);
    }
  }
}

function stubOf(identity: string, id: number): KeptKey {
  const [job, gate, key] = JSON.parse(identity) as [job: string, gate: string, key: string];
  return { id, kind: "", job, gate, key, state: "done", finishedAtMs: 0 };
}

export interface HistoryFiles {
  readonly log: readonly EntryRef[];
  readonly keptKeys: readonly EntryRef[];
  readonly dropped: readonly string[];
  readonly isSame: boolean;
}

/** Writes the changes of the model: files for new items, and replacements for shrunken files. */
export async function writeHistory(
  base: ShardHead,
  past: Recalled,
  { log, keptKeys }: Shard,
  history: History,
): Promise<HistoryFiles> {
  const logs = await rewrite<LogEntry>({
    refs: base.log,
    files: past.logFiles,
    isThere: (entry) => log.get(entry.id) === entry,
    added: [...log.values()].filter((entry) => past.shard.log.get(entry.id) !== entry),
    read: (ref) => history.readLog(ref),
    write: (entries) => history.writeLog(base, entries),
  });
  const isOld = (kept: KeptKey) => past.shard.keptKeys.get(identityOf(kept)) === kept;
  const keys = await rewrite<KeptKey>({
    refs: base.keptKeys,
    files: past.keyFiles,
    isThere: (kept) => keptKeys.get(identityOf(kept)) === kept,
    added: [...keptKeys.values()].filter((kept) => !isOld(kept) && !past.stubs.has(kept)),
    read: (ref) => history.readKeys(ref),
    write: (all) => history.writeKeys(base, all),
  });
  return {
    log: logs.refs,
    keptKeys: keys.refs,
    dropped: [...logs.dropped, ...keys.dropped],
    isSame: logs.refs === base.log && keys.refs === base.keptKeys,
  };
}

interface Rewrite<T> {
  readonly refs: readonly EntryRef[];
  /** The files that were read. No entry of the other files was removed. */
  readonly files: ReadonlyMap<EntryRef, readonly T[]>;
  readonly isThere: (one: T) => boolean;
  readonly added: readonly T[];
  readonly read: (ref: EntryRef) => Promise<readonly T[]>;
  readonly write: (all: readonly T[]) => Promise<EntryRef>;
}

async function rewrite<T>({ refs, files, isThere, added, read, write }: Rewrite<T>) {
  const dropped: string[] = [];
  const kept: EntryRef[] = [];
  let isSame = true;
  for (const ref of refs) {
    const all = files.get(ref);
    const left = all?.filter(isThere);
    if (left === undefined || left.length === all!.length) {
      kept.push(ref);
      continue;
    }
    isSame = false;
    dropped.push(ref.name);
    if (left.length > 0) kept.push(await write(left));
  }
  if (added.length === 0) return { refs: isSame ? refs : kept, dropped };
  const absorbed = kept.splice(firstAbsorbed(kept, added.length));
  const all: T[] = [...added];
  for (const ref of absorbed) {
    all.push(...(files.get(ref)?.filter(isThere) ?? (await read(ref))));
    dropped.push(ref.name);
  }
  kept.push(await write(all));
  return { refs: kept, dropped };
}
