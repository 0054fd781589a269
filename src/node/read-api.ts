import type { ConflictView, Datagram, Ledger } from "../ledger/index.ts";
import {
  findDuplicatePairs,
  historyOf,
  mustResolveName,
  recordFileOf,
  resolveName,
  type RecordKind,
  type RecordReader,
} from "../records/index.ts";
import { archiveReader, similarTo, type UseBucket } from "./local-api.ts";
import type { NodeFleet, NodeLedger, NodeRecords } from "./node-api.ts";

/** The calls that are enough for a command that only reads. */
export interface NodeReadApi {
  readonly ledger: Pick<
    NodeLedger,
    | "status"
    | "read"
    | "readAll"
    | "log"
    | "outline"
    | "writtenOf"
    | "vector"
    | "digest"
    | "conflicts"
    | "quarantine"
    | "knownFields"
    | "suppressed"
    | "unscrubbed"
    | "preview"
    | "verify"
  >;
  readonly records: Pick<
    NodeRecords,
    | "company"
    | "person"
    | "resolve"
    | "fileOf"
    | "problems"
    | "history"
    | "duplicatesOf"
    | "similar"
    | "find"
    | "byDomain"
    | "search"
    | "count"
    | "emailUsage"
    | "domainUsage"
    | "duplicatePairs"
  >;
  readonly fleet: Pick<NodeFleet, "view">;
}

const logPage = 5_000;

/** All datagrams since the checkpoint, page by page. */
export async function* readLog(
  ledger: Pick<NodeReadApi["ledger"], "log">,
): AsyncGenerator<readonly Datagram[]> {
  for (let from = 0; ; from += logPage) {
    const page = await ledger.log({ from, limit: logPage });
    yield page;
    if (page.length < logPage) return;
  }
}

/** How many targets are asked for their conflicts at once. */
const conflictPage = 500;

/** All conflicts, in order of their targets. */
export async function* readConflicts(
  ledger: Pick<NodeReadApi["ledger"], "conflicts">,
): AsyncGenerator<readonly ConflictView[]> {
  for (let after: string | undefined; ;) {
    const page = { ...(after !== undefined && { after }), limit: conflictPage };
    const { conflicts, next } = await ledger.conflicts(page);
    yield conflicts;
    if (next === undefined) return;
    after = next;
  }
}

/** The calls from files alone. Use it while no process owns the data folder. */
export function createReadApi(parts: {
  readonly ledger: () => Promise<Ledger>;
  readonly records: () => Promise<RecordReader>;
  readonly withBucket: UseBucket;
}): NodeReadApi {
  const { ledger, records: index, withBucket } = parts;
  const archived = archiveReader(withBucket);
  const byName = async (kind: RecordKind, name: string) => {
    const target = resolveName(await index(), kind, name);
    return target === undefined ? undefined : (await index()).find(target);
  };
  return {
    ledger: {
      status: async () => (await ledger()).status(),
      read: async (target) => (await ledger()).read(target),
      readAll: async (targets) => (await ledger()).readAll(targets),
      log: async (page) => (await ledger()).log(page),
      outline: async () => (await ledger()).outline(),
      writtenOf: async (targets) => (await ledger()).writtenOf(targets),
      vector: async () => Object.fromEntries((await ledger()).vector()),
      digest: async () => (await ledger()).digest(),
      conflicts: async (page) => (await ledger()).conflicts(page),
      quarantine: async () => (await ledger()).quarantine(),
      knownFields: async (request) => (await ledger()).knownFields(request),
      suppressed: async (keys) => (await ledger()).suppressed(keys),
      unscrubbed: async () => (await ledger()).unscrubbed(),
      preview: ({ bucket }) =>
        withBucket(bucket, async (at) => (await ledger()).withBucket(at).preview()),
      verify: ({ bucket }, watch) =>
        withBucket(bucket, async (at) => (await ledger()).withBucket(at).verify({ ...watch })),
    },
    records: {
      async company(name) {
        const found = await byName("company", name);
        return found?.kind === "company" ? found.company : undefined;
      },
      async person(name) {
        const found = await byName("person", name);
        return found?.kind === "person" ? found.person : undefined;
      },
      resolve: async (kind, name) => resolveName(await index(), kind, name),
      async fileOf(target) {
        const mark = (await index()).render(target);
        return mark && recordFileOf(mark);
      },
      problems: async () => (await index()).problems(),
      history: (request) =>
        archived(request, async (more) => {
          const { kind = "company", name, field } = request;
          const target = mustResolveName(await index(), kind, name);
          return historyOf({ ledger: await ledger(), ...more }, { target, field });
        }),
      duplicatesOf: async (target) => similarTo(await index(), [target])[0]!,
      similar: async (targets) => similarTo(await index(), targets),
      find: async (target) => (await index()).find(target),
      byDomain: async (domain) => (await index()).byDomain(domain),
      search: async (query) => (await index()).search(query),
      count: async (query, max) => (await index()).count(query, max),
      emailUsage: async (address) => (await index()).emailUsage(address),
      domainUsage: async (domain) => (await index()).domainUsage(domain),
      duplicatePairs: async (options) => findDuplicatePairs(await index(), options),
    },
    fleet: { view: async () => undefined },
  };
}
