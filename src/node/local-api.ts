import type { Random } from "../base/random.ts";
import type { Bucket } from "../bucket/index.ts";
import { readArchive, type LedgerSync } from "../ledger/index.ts";
import {
  createPlanner,
  findDuplicatePairs,
  findDuplicates,
  type Records,
  type RecordSearch,
} from "../records/index.ts";
import type { RepeatableLedger } from "./left-to-write.ts";
import { ended } from "./owner/ended.ts";
import type {
  AtBucket,
  NodeApi,
  NodeFleet,
  NodeLedger,
  NodeRecords,
  NodeWake,
  PlannedCreate,
} from "./node-api.ts";

export interface LocalParts {
  readonly ledger: RepeatableLedger;
  /** Opens them at the first use. */
  readonly records: () => Promise<{ readonly records: Records; readonly index: RecordSearch }>;
  readonly random: Random;
  readonly fleet: NodeFleet;
  readonly wake: NodeWake;
  /** Opens a bucket by its address, or uses the one that is open already. */
  readonly withBucket: UseBucket;
}

export type UseBucket = <T>(address: string, use: (bucket: Bucket) => Promise<T>) => Promise<T>;

/** The node's interface in the process that owns the data folder. */
export function createLocalApi(parts: LocalParts): NodeApi {
  const { fleet, wake } = parts;
  return { ledger: localLedger(parts), records: localRecords(parts), fleet, wake };
}

function localLedger({ ledger: repeatable, withBucket }: LocalParts): NodeLedger {
  const { ledger } = repeatable;
  const synced = <T>({ bucket }: AtBucket, use: (sync: LedgerSync) => Promise<T>) =>
    withBucket(bucket, (opened) => use(ledger.withBucket(opened)));
  return {
    status: async () => ledger.status(),
    write: (commit) => ledger.write(commit),
    read: (target) => ledger.read(target),
    readAll: (targets) => ledger.readAll(targets),
    log: (page) => ledger.log(page),
    outline: () => ledger.outline(),
    writtenOf: (targets) => ledger.writtenOf(targets),
    writtenAfter: (stamp, sourcePrefix) => ledger.writtenAfter(stamp, sourcePrefix),
    vector: async () => Object.fromEntries(ledger.vector()),
    digest: () => ledger.digest(),
    conflicts: (page) => ledger.conflicts(page),
    restore: (request) => repeatable.once(() => ledger.restore(request)),
    quarantine: async () => ledger.quarantine(),
    restamp: (dot) => repeatable.once(() => ledger.restamp(dot)),
    forget: (request) => ledger.forget(request),
    unforget: (request) => ledger.unforget(request),
    knownFields: (request) => ledger.knownFields(request),
    suppressed: (keys) => ledger.suppressed(keys),
    unscrubbed: () => ledger.unscrubbed(),
    sync: (request, watch) => synced(request, (sync) => sync.sync({ ...request, ...watch })),
    preview: (request) => synced(request, (sync) => sync.preview()),
    push: (request) => synced(request, (sync) => sync.push()),
    verify: (request, watch) => synced(request, (sync) => sync.verify({ ...request, ...watch })),
    acceptLoss: () => ledger.acceptLoss(),
  };
}

function localRecords(parts: LocalParts): NodeRecords {
  const { ledger: repeatable, records: open, withBucket, random } = parts;
  const archived = archiveReader(withBucket);
  const records = async () => (await open()).records;
  const index = async () => (await open()).index;
  return {
    company: async (name) => (await records()).company(name),
    person: async (name) => (await records()).person(name),
    write: async (commit) => (await records()).write(commit),
    writeAll: async (commits) => (await records()).writeAll(commits),
    create: async (request) => (await records()).create(request),
    createAll: async (requests) => (await records()).createAll(requests),
    createPerson: async (request) => (await records()).createPerson(request),
    duplicatesOf: async (target) => (await records()).duplicatesOf(target),
    addEntry: async (request) => (await records()).addEntry(request),
    rename: async (request) => (await records()).rename(request),
    merge: async (request) => (await records()).merge(request),
    forget: async (request) => (await records()).forget(request),
    erase: async (request) => (await records()).erase(request),
    remains: async (target) => (await records()).remains(target),
    resolve: async (kind, name) => (await records()).resolve(kind, name),
    fileOf: async (target) => (await records()).fileOf(target),
    problems: async () => (await records()).problems(),
    history: (request) =>
      archived(request, async (more) => (await records()).history({ ...request, ...more })),
    planRestore: (request) =>
      archived(request, async (more) => (await records()).planRestore({ ...request, ...more })),
    restoreAt: (request) =>
      archived(request, async (more) => (await records()).restoreAt({ ...request, ...more })),
    ingest: async (request, watch) => (await records()).ingest({ ...request, ...watch }),
    async watch(request, { onProgress, signal }) {
      const onIngested = onProgress ? { onIngested: onProgress } : {};
      const watching = (await records()).watch({ ...request, ...onIngested });
      await ended(signal);
      await watching.stop();
    },
    catchUp: async (watch) => (await records()).catchUp(watch),
    async rebuild(watch) {
      const built = await (await records()).rebuild(watch);
      (await index()).optimize();
      return built;
    },
    async planAll(requests) {
      const { ledger: known } = repeatable;
      const planner = createPlanner({ index: await index(), ledger: known, random });
      const plans: PlannedCreate[] = [];
      for (const request of requests) {
        const { outcome, target } = await planner.plan(request);
        plans.push({ outcome, target });
      }
      return plans;
    },
    similar: async (targets) => similarTo(await index(), targets),
    find: async (target) => (await index()).find(target),
    byDomain: async (domain) => (await index()).byDomain(domain),
    search: async (query) => (await index()).search(query),
    count: async (query, max) => (await index()).count(query, max),
    emailUsage: async (address) => (await index()).emailUsage(address),
    domainUsage: async (domain) => (await index()).domainUsage(domain),
    duplicatePairs: async (options) => findDuplicatePairs(await index(), options),
  };
}

/** Passes on the archive of the bucket, if one is given. */
export const archiveReader =
  (withBucket: UseBucket) =>
  <T>(
    { bucket }: Partial<AtBucket>,
    use: (more: { readonly archive?: ReturnType<typeof readArchive> }) => Promise<T>,
  ) =>
    bucket === undefined
      ? use({})
      : withBucket(bucket, (opened) => use({ archive: readArchive(opened) }));

/** The indexed companies among these targets, and those that may be the same. */
export const similarTo = (
  index: Pick<RecordSearch, "find"> & Parameters<typeof findDuplicates>[0],
  targets: readonly string[],
) =>
  targets.map((target) => {
    const found = index.find(target);
    return found?.kind === "company" ? findDuplicates(index, found.company) : [];
  });
