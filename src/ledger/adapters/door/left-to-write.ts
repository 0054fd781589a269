import type { Commit } from "../../changes.ts";
import { encodeValue } from "../../datagram/check-input.ts";
import type { Datagram } from "../../datagram/datagram.ts";

export interface WrittenLog {
  node(): string;
  log(): readonly Datagram[];
}

/**
 * A commit whose answer was lost, less what the journal shows was written by it: this node's
 * datagrams with its source and values, later than all its writer knew of when it was first sent.
 * Without this a value that somebody else has changed since would come back.
 */
export function leftToWrite(ledger: WrittenLog, commit: Commit, after: string): Commit {
  const node = ledger.node();
  const written = new Set<string>();
  for (const { stamp, node: by, source, target, field, value } of ledger.log()) {
    if (stamp > after && by === node && source === commit.source) {
      written.add(`${target}\n${field}\n${value ?? ""}`);
    }
  }
  const isLeft = ({ target, field, value, unset }: Commit["changes"][number]) => {
    if (!unset && (value === undefined || value === null)) return false;
    const json = unset ? "" : encodeValue(field, value).json;
    return !written.has(`${target}\n${field}\n${json}`);
  };
  return { source: commit.source, changes: commit.changes.filter(isLeft) };
}
