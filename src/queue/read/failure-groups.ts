import type { EndedCursor, EndedQuery } from "../queue-store.ts";
import type { Queue } from "../queue.ts";
import { lastReason } from "../task.ts";

/** Failed tasks whose errors differ only in numbers, addresses and names. */
export interface FailureGroup {
  /** The error with `…` for the parts that differ. A filter by error accepts this text. */
  readonly error: string;
  readonly kind: string;
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** The newest task of the group, and its complete error. */
  readonly exampleId: number;
  readonly example: string;
}

export interface FailureGroups {
  /** Sorted by size, largest first. */
  readonly groups: readonly FailureGroup[];
  readonly read: number;
  /** False if more tasks failed than were read; then only the newest were read. */
  readonly isComplete: boolean;
}

const pageSize = 1_000;
const readMax = 50_000;
const groupsMax = 200;
const groupLengthMax = 200;

/** The first line of an error without the parts that differ between tasks. */
export function failureGroup(error: string): string {
  const line = error.slice(0, 1_000).split("\n", 1)[0]!;
  const same = line
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\/[^\s"')\]]+/gi, "…")
    .replaceAll(/"[^"]*"|(?<!\w)'[^']*'/g, "…")
    .replaceAll(/\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b/gi, "…")
    // Keep three digits, which may be an HTTP status: 429 and 503 are different errors.
    .replaceAll(/(?<![\w.])-?\d+(?:\.\d+)*/g, (digits) =>
      /^[1-5]\d\d$/.test(digits) ? digits : "…",
    )
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, "…")
    .replaceAll(/…(?:[_:./x-]{1,2}…)+/g, "…")
    .trim();
  return same.slice(0, groupLengthMax) || "(no reason)";
}

/** Reads the newest failed tasks, at most 50,000. */
export async function groupFailures(
  queue: Pick<Queue, "ended">,
  filter: Pick<Partial<EndedQuery>, "kind" | "job" | "gate">,
  signal?: AbortSignal,
): Promise<FailureGroups> {
  const groups = new Map<string, FailureGroup>();
  let [read, isComplete] = [0, false];
  let after: EndedCursor | undefined;
  while (!isComplete && read < readMax) {
    const page = await queue.ended({
      ...filter,
      states: ["failed"],
      isNewestFirst: true,
      limit: pageSize,
      ...(after && { after }),
    });
    for (const task of page) {
      const example = lastReason(task);
      const [error, atMs] = [failureGroup(example), task.finishedAtMs];
      const name = `${task.kind}\0${error}`;
      const known = groups.get(name);
      groups.set(
        name,
        known
          ? { ...known, count: known.count + 1, firstAtMs: atMs }
          : { error, kind: task.kind, count: 1, firstAtMs: atMs, lastAtMs: atMs, exampleId: task.id, example }, // prettier-ignore
      );
    }
    read += page.length;
    isComplete = page.length < pageSize;
    after = page.at(-1);
    signal?.throwIfAborted();
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count || b.lastAtMs - a.lastAtMs);
  return { groups: sorted.slice(0, groupsMax), read, isComplete };
}
