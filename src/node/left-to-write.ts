import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../base/app-error.ts";
import { encodeValue, type Commit, type Ledger, type Written } from "../ledger/index.ts";

/** A ledger that can repeat a call whose answer was lost. */
export interface RepeatableLedger {
  readonly ledger: Ledger;
  /** During `work` and everything it calls, writes omit what the ledger shows as written. */
  repeat<T>(after: string, work: () => Promise<T>): Promise<T>;
  /** During `repeat`: a datagram that is no longer found was handled by the first try. */
  once(work: () => Promise<Written>): Promise<Written>;
}

export function makeRepeatable(ledger: Ledger): RepeatableLedger {
  const repeats = new AsyncLocalStorage<string>();
  return {
    repeat: (after, work) => repeats.run(after, work),
    async once(work) {
      try {
        return await work();
      } catch (error) {
        const isGone = error instanceof AppError && error.code === "ledger_unknown_datagram";
        if (!isGone || repeats.getStore() === undefined) throw error;
        return { datagrams: [], cut: [] };
      }
    },
    ledger: {
      ...ledger,
      async write(commit) {
        const after = repeats.getStore();
        return ledger.write(
          after === undefined ? commit : await leftToWrite(ledger, commit, after),
        );
      },
    },
  };
}

/**
 * The part of a commit that is still to be written after its answer was lost. A change counts as
 * written if this node has a datagram with its source and value that is newer than everything the
 * writer knew when it first sent the commit. Writing all changes again could overwrite a value that
 * another writer has set meanwhile.
 */
export async function leftToWrite(
  ledger: Pick<Ledger, "writtenAfter">,
  commit: Commit,
  after: string,
): Promise<Commit> {
  const written = new Set<string>();
  for (const { source, target, field, value } of await ledger.writtenAfter(after)) {
    if (source === commit.source) written.add(`${target}\n${field}\n${value ?? ""}`);
  }
  const isLeft = ({ target, field, value, unset }: Commit["changes"][number]) => {
    if (!unset && (value === undefined || value === null)) return false;
    const json = unset ? "" : encodeValue(field, value).json;
    return !written.has(`${target}\n${field}\n${json}`);
  };
  return { source: commit.source, changes: commit.changes.filter(isLeft) };
}
