import { afterTick } from "../../base/tick.ts";
import type { LedgerPosition } from "../../ledger/index.ts";
import { nameAndAddress } from "../fields/duplicates.ts";
import { recordOf } from "../search/gathering-index.ts";
import { normalDomain } from "../fields/identity.ts";
import { domainsOf } from "../fields/places.ts";
import type {
  IndexBatch,
  Indexed,
  RecordIndex,
  RecordProblem,
  RenderMark,
} from "../search/record-index.ts";

/** RecordIndex in maps that are searched completely: slow, and easy to verify. */
export function createMemoryRecordIndex(): RecordIndex {
  let records = new Map<string, Indexed>();
  let marks = new Map<string, RenderMark>();
  let problems = new Map<string, RecordProblem>();
  let position: LedgerPosition | undefined;
  const where = (isFound: (indexed: Indexed) => boolean): readonly string[] =>
    [...records.values()]
      .filter(isFound)
      .map((indexed) => recordOf(indexed).target)
      .sort();
  return {
    startReplacement() {
      const lookup = createMemoryRecordIndex();
      const batches: IndexBatch[] = [];
      return {
        lookup,
        // Asynchronous, like an implementation with a thread.
        load: async (batch) => {
          await new Promise<void>(afterTick);
          lookup.update(batch);
          batches.push(batch);
        },
        commit: async () => {
          [records, marks, problems] = [new Map(), new Map(), new Map()];
          position = undefined;
          for (const batch of batches) this.update(batch);
        },
        async [Symbol.asyncDispose]() {},
      };
    },
    position: () => position,
    settle() {},
    update(batch) {
      // Converts everything first, so that all or none is put.
      const put = (batch.put ?? []).map((one) => [recordOf(one).target, one] as const);
      for (const [target, indexed] of put) records.set(target, indexed);
      for (const target of batch.drop ?? []) records.delete(target);
      for (const mark of batch.renders ?? []) marks.set(mark.target, mark);
      for (const target of batch.unrendered ?? []) marks.delete(target);
      for (const { path, problem } of batch.problems ?? []) {
        if (problem) problems.set(path, problem);
        else problems.delete(path);
      }
      position = batch.position ?? position;
    },
    scrub() {},
    find: (target) => records.get(target),
    render: (target) => marks.get(target),
    problems: () => [...problems.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    bySlug(kind, slug) {
      const [holder] = where((one) => one.kind === kind && recordOf(one).slug === slug);
      return holder ?? where((one) => one.kind === kind && recordOf(one).aliases.includes(slug))[0];
    },
    wanting: (kind, slug) => where((one) => one.kind === kind && recordOf(one).slugWanted === slug),
    byDomain: (domain) =>
      where(
        (one) => one.kind === "company" && domainsOf(one.company).includes(normalDomain(domain)),
      ),
    byPhone: (number) =>
      where(
        (one) => one.kind === "company" && one.company.phones.some(({ value }) => value === number),
      ),
    byPlace: (place) => where((one) => one.kind === "company" && one.company.texts.place === place),
    byEmail: (address) =>
      where((one) =>
        recordOf(one).emails.some(({ value }) => value.toLowerCase() === address.toLowerCase()),
      ),
    byPerson: (personId) =>
      where(
        (one) => one.kind === "company" && one.company.people.some(({ id }) => id === personId),
      ),
    byNameAndAddress: ({ name, address }) =>
      where((one) => {
        const key = one.kind === "company" ? nameAndAddress(one.company) : undefined;
        return key?.name === name && key.address === address;
      }),
    targets: ({ kind, after = "", limit }) =>
      where((one) => one.kind === kind && recordOf(one).target > after).slice(0, limit),
    [Symbol.dispose]() {},
  };
}
