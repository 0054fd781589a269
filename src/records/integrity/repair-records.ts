import { dirname } from "node:path";
import type { Change, Commit } from "../../ledger/index.ts";
import type { Ingested } from "../records.ts";
import type { Checked } from "./check-records.ts";
import type { RecordFinding, Repair } from "./finding.ts";
import type { Quarantine, QuarantineEntry } from "./quarantine.ts";

/** The parts of a node that a repair uses. */
export interface RepairedNode {
  readonly records: {
    writeAll(commits: readonly Commit[]): Promise<{ readonly written: number }>;
    ingest(request: { readonly only: readonly string[] }): Promise<Ingested>;
  };
}

export interface RecordRepairOptions {
  readonly node: RepairedNode;
  readonly quarantine: Quarantine;
  readonly checked: Checked;
  readonly source: string;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  readonly signal?: AbortSignal;
}

export interface RecordsRepaired {
  /** Files that were rendered again, or whose edit was ingested. */
  readonly files: number;
  /** Values that were corrected. */
  readonly corrected: number;
  /** Files and values that were moved to quarantine. */
  readonly quarantined: number;
  /** Errors that a user has to repair. */
  readonly left: readonly RecordFinding[];
}

const batchSize = 100;

/**
 * Edits of files first, then values, then files, because files are rendered from repaired values.
 * Each step can be repeated, so the next repair finishes an interrupted one.
 */
export async function repairRecords(options: RecordRepairOptions): Promise<RecordsRepaired> {
  const { node, quarantine, checked, source, onProgress = () => {}, signal } = options;
  const all = [...checked.problems, ...checked.outdated];
  const total = checked.edited.length + all.length;
  let done = 0;
  const progress = (count: number) => {
    signal?.throwIfAborted();
    onProgress({ done: (done += count), total });
  };
  const read = async (folders: readonly string[]) => {
    for (const some of chunks([...new Set(folders)])) {
      await node.records.ingest({ only: some });
      signal?.throwIfAborted();
    }
  };
  await read(checked.edited.map(recordFolder));
  progress(checked.edited.length);

  const changes: Change[] = [];
  for (const finding of ofKind(all, "move value")) {
    const { path, target, field, reason, repair } = finding;
    await quarantine.addValue({ path, target, field, reason, value: repair.value });
    changes.push({ target: target!, field: field!, unset: true });
  }
  const corrections = ofKind(all, "write");
  changes.push(...corrections.flatMap(({ repair }) => repair.changes));
  for (const some of chunks(changes)) await node.records.writeAll([{ source, changes: some }]);
  progress(corrections.length);

  const broken = ofKind(all, "move file");
  for (const { path, target, reason } of broken) {
    await quarantine.addFile({ path, target, reason });
    progress(1);
  }
  const outdated = ofKind(all, "render");
  await read([...broken, ...outdated].map(({ repair }) => repair.folder));
  for (const { repair } of broken) quarantine.tidy(repair.folder);
  progress(outdated.length);
  return {
    files: checked.edited.length + outdated.length,
    corrected: corrections.length,
    quarantined: broken.length + ofKind(all, "move value").length,
    left: all.filter(({ repair }) => repair === undefined),
  };
}

/** Moves an entry of the quarantine back to its original place. */
export async function restoreQuarantined(
  { node, quarantine, source }: Pick<RecordRepairOptions, "node" | "quarantine" | "source">,
  entry: QuarantineEntry,
): Promise<Ingested | undefined> {
  const { kind, target, field, value, path } = entry;
  if (kind === "value") {
    const changes = [{ target: target!, field: field!, value }];
    await node.records.writeAll([{ source, changes }]);
    quarantine.remove(entry);
    return undefined;
  }
  const only = [recordFolder(path)];
  // If a user edited the file that replaced it, that edit is stored first.
  await node.records.ingest({ only });
  quarantine.putBack(entry);
  return node.records.ingest({ only });
}

/** `companies/acme/notes/x.md` is in `companies/acme`. */
const recordFolder = (path: string): string =>
  path.split("/").length > 3 ? dirname(dirname(path)) : dirname(path);

type FindingOf<K extends Repair["kind"]> = RecordFinding & { repair: Extract<Repair, { kind: K }> };

const ofKind = <K extends Repair["kind"]>(all: readonly RecordFinding[], kind: K) =>
  all.filter((one): one is FindingOf<K> => one.repair?.kind === kind);

function chunks<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / batchSize) }, (_, at) =>
    all.slice(at * batchSize, (at + 1) * batchSize),
  );
}
