import { AppError } from "../../../../base/app-error.ts";
import { isUnavailable } from "../../../../bucket/index.ts";
import { isTerminal } from "../../../task.ts";
import type { Shard } from "../../../model/shard.ts";
import type { Archive } from "./archive.ts";
import { prepareLog, type PreparedLog } from "../head/head-commit.ts";
import { listedNames, type ShardHead } from "../head/head.ts";

/**
 * Moves the finished tasks of a shard into logs in the background, so that no call waits for a log.
 * Invariants:
 * - a log is written from a committed head, and the next commit lists it;
 * - a log is removed only when a newer head does not list it, and when no earlier write that may
 *   still take effect can list it.
 */
export interface LogKeeper {
  /** The log that was written and is not listed yet. Throws if background work had a bug. */
  prepared(): PreparedLog | undefined;
  /**
   * Call after a commit: removes logs that the head does not list, and writes a log if there are
   * enough finished tasks.
   */
  committed(step: CommittedStep): void;
  /**
   * Call after a commit with an unknown outcome: it may have listed the prepared log, which is
   * therefore kept.
   */
  unresolved(): void;
  /** Call at the end: waits for all writes, and removes a prepared log that is not listed. */
  end(): Promise<void>;
}

export interface CommittedStep {
  readonly base: ShardHead;
  readonly head: ShardHead;
  /** Files that this commit wrote or no longer needs. Those that the head lists are kept. */
  readonly written: readonly string[];
  /** The log that was prepared when this commit was made. Another one may be prepared by now. */
  readonly offered: PreparedLog | undefined;
}

export interface LogKeeperOptions {
  readonly archive: Archive;
  /** A log is written when a head contains this many finished tasks. */
  readonly logFrom: number;
  readonly onListed: (listed: PreparedLog) => void;
  /** Called if a listed log could not be read. */
  readonly onCorrupt: (error: AppError) => void;
}

export function createLogKeeper(options: LogKeeperOptions): LogKeeper {
  const { archive, logFrom, onListed, onCorrupt } = options;
  let prepared: PreparedLog | undefined;
  let preparing: Promise<void> | undefined;
  let tidying: Promise<void> = Promise.resolve();
  /** An unexpected error in the background. `prepared` throws it, so the next commit fails. */
  let bug: { readonly error: unknown } | undefined;

  const prepare = async (head: ShardHead) => {
    prepared = await prepareLog(head, archive);
  };
  /** Removes logs in the background. If that fails, they only take up space: no head lists them. */
  const tidy = (names: readonly string[]) => {
    if (names.length > 0) tidying = tidying.then(() => quietly(archive.remove(names)));
  };
  const quietly = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof AppError)) bug = { error };
      // The log was probably merged into another one by another node.
      else if (!isUnavailable(error) && error.code !== "queue_log_missing") onCorrupt(error);
    }
  };

  return {
    prepared() {
      if (bug) throw bug.error;
      return prepared;
    },
    committed({ base, head, written, offered }) {
      const listed = listedNames(head);
      const gone = written.filter((name) => !listed.has(name));
      if (offered) {
        const { log, absorbed } = offered;
        if (prepared === offered) prepared = undefined;
        if (listed.has(log.name)) {
          onListed(offered);
          gone.push(...absorbed);
        } else gone.push(log.name); // another node changed its tasks or the logs merged into it
      }
      tidy(gone);
      // The node whose commit raised the number of finished tasks to `logFrom`, or to a multiple of
      // it, writes the log. From three times `logFrom` on, every node does: that node may be dead.
      const steps = ({ shard }: ShardHead) => Math.floor(finishedIn(shard) / logFrom);
      const isDue = steps(head) > steps(base) || steps(head) > 2;
      if (preparing || prepared || !isDue) return;
      preparing = quietly(prepare(head)).then(() => void (preparing = undefined));
    },
    unresolved: () => void (prepared = undefined),
    async end() {
      await preparing;
      if (prepared) tidy([prepared.log.name]);
      prepared = undefined;
      await tidying;
    },
  };
}

function finishedIn(shard: Shard): number {
  let count = 0;
  for (const { state } of shard.tasks.values()) if (isTerminal(state)) count += 1;
  return count;
}
