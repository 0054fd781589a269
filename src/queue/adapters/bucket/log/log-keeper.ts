import { AppError } from "../../../../base/app-error.ts";
import { isUnavailable } from "../../../../bucket/index.ts";
import { isTerminal } from "../../../task.ts";
import type { Shard } from "../../../model/shard.ts";
import type { Archive } from "./archive.ts";
import { prepareLog, type PreparedLog } from "../head/head-commit.ts";
import { listedNames, type ShardHead } from "../head/head.ts";

/**
 * Moves what a shard has finished into logs, beside its commits: nobody who asks something of the
 * queue waits for a log. Always:
 * - a log is written from a head that was committed, and the next commit lists it;
 * - a log is removed only when a newer head neither lists it nor could, so that no write which may
 *   still arrive can list it.
 */
export interface LogKeeper {
  /** A log that waits to be listed. */
  prepared(): PreparedLog | undefined;
  /** After a commit: what it does not list is garbage, and enough finished tasks are a new log. */
  committed(step: CommittedStep): void;
  /** After a commit without a clear answer: it may have listed what was prepared, which then stays. */
  unresolved(): void;
  /** At the end: resolves when nothing is under way, and nothing is left that nobody lists. */
  end(): Promise<void>;
}

export interface CommittedStep {
  readonly base: ShardHead;
  readonly head: ShardHead;
  /** Logs that were written for this commit or that it no longer needs; listed ones stay. */
  readonly written: readonly string[];
  /** What was prepared when this commit was made; another may have been since. */
  readonly offered: PreparedLog | undefined;
}

export interface LogKeeperOptions {
  readonly archive: Archive;
  /** Finished tasks of a head that make a log. */
  readonly logFrom: number;
  readonly onListed: (listed: PreparedLog) => void;
  /** A log that should be there could not be read. */
  readonly onCorrupt: (error: AppError) => void;
}

export function createLogKeeper(options: LogKeeperOptions): LogKeeper {
  const { archive, logFrom, onListed, onCorrupt } = options;
  let prepared: PreparedLog | undefined;
  let preparing: Promise<void> | undefined;
  let tidying: Promise<void> = Promise.resolve();
  /** A bug that showed beside the commits: the next one says it. */
  let bug: { readonly error: unknown } | undefined;

  const prepare = async (head: ShardHead) => {
    prepared = await prepareLog(head, archive);
  };
  /** What is not listed costs space, nothing else. */
  const tidy = (names: readonly string[]) => {
    if (names.length > 0) tidying = tidying.then(() => quietly(archive.remove(names)));
  };
  const quietly = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof AppError)) bug = { error };
      // A log that went while it was to be joined with others was most likely replaced by others.
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
        } else gone.push(log.name); // others were here: it no longer fits
      }
      tidy(gone);
      // Whoever made it so many, or twice as many; with more, anybody: those before seem to be dead.
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
